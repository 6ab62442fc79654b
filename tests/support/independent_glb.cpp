#include "support/independent_glb.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace marrow::testing {
namespace {

void expect(bool rule, const char* message) {
  if (!rule) throw std::runtime_error(message);
}

template <class T>
T load(const std::string& bytes, std::size_t offset) {
  expect(offset + sizeof(T) <= bytes.size(), "read beyond the end");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <std::size_t n>
std::array<double, n> vector_of(const nlohmann::json& node, const char* key, std::array<double, n> missing) {
  return node.contains(key) ? node.at(key).get<std::array<double, n>>() : missing;
}

/// Appendix C of the specification.
std::array<double, 4> slerp(const std::array<double, 4>& a, const std::array<double, 4>& b, double t) {
  double dot = 0;
  for (std::size_t i = 0; i < 4; ++i) dot += a[i] * b[i];
  const double sign = dot < 0 ? -1 : 1, angle = std::acos(std::min(1.0, std::abs(dot)));
  const bool close = angle < 1e-6;
  const double wa = close ? 1 - t : std::sin((1 - t) * angle) / std::sin(angle);
  const double wb = sign * (close ? t : std::sin(t * angle) / std::sin(angle));
  std::array<double, 4> q;
  for (std::size_t i = 0; i < 4; ++i) q[i] = wa * a[i] + wb * b[i];
  return q;
}

using Matrix = std::array<double, 16>;

Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t r = 0; r < 4; ++r) {
      for (std::size_t i = 0; i < 4; ++i) c[4 * k + r] += a[4 * i + r] * b[4 * k + i];
    }
  }
  return c;
}

Matrix compose(const std::array<double, 3>& t, const std::array<double, 4>& q, const std::array<double, 3>& s) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  const double column[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                               {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                               {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
  Matrix m{};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t r = 0; r < 3; ++r) m[4 * k + r] = s[k] * column[k][r];
    m[12 + k] = t[k];
  }
  m[15] = 1;
  return m;
}

std::vector<double> decode(const nlohmann::json& document, const std::string& binary, const nlohmann::json& accessor) {
  const auto& view = document.at("bufferViews").at(accessor.at("bufferView").get<std::size_t>());
  expect(!view.contains("byteStride"), "interleaved data");
  static const std::map<std::string, std::size_t> widths{
      {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
  const std::size_t count = accessor.at("count").get<std::size_t>() * widths.at(accessor.at("type").get<std::string>());
  const int type = accessor.at("componentType").get<int>();
  const std::size_t size = type == 5121 ? 1 : type == 5123 ? 2 : 4;
  const std::size_t inside = accessor.value("byteOffset", std::size_t(0));
  expect(inside + count * size <= view.at("byteLength").get<std::size_t>(), "accessor is longer than its view");
  const std::size_t begin = view.value("byteOffset", std::size_t(0)) + inside;
  expect(begin % 4 == 0, "not aligned");
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = begin + i * size;
    out[i] = type == 5121   ? load<std::uint8_t>(binary, at)
             : type == 5123 ? load<std::uint16_t>(binary, at)
             : type == 5125 ? load<std::uint32_t>(binary, at)
                            : double(load<float>(binary, at));
  }
  return out;
}

}  // namespace

IndependentGlb::IndependentGlb(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  expect(bytes.substr(0, 4) == "glTF" && load<std::uint32_t>(bytes, 4) == 2, "not a GLB 2");
  expect(load<std::uint32_t>(bytes, 8) == bytes.size(), "length is not that of the file");
  const std::size_t json_length = load<std::uint32_t>(bytes, 12);
  expect(load<std::uint32_t>(bytes, 16) == 0x4E4F534A && json_length % 4 == 0, "first chunk is not JSON");
  document_ = nlohmann::json::parse(bytes.substr(20, json_length));
  const std::size_t binary_length = load<std::uint32_t>(bytes, 20 + json_length);
  expect(load<std::uint32_t>(bytes, 24 + json_length) == 0x004E4942 && binary_length % 4 == 0, "no binary chunk");
  const std::string binary = bytes.substr(28 + json_length);
  expect(binary.size() == binary_length, "binary chunk has another length");
  for (const auto& accessor : document_.at("accessors")) numbers_.push_back(decode(document_, binary, accessor));
}

const std::vector<double>& IndependentGlb::attribute(const std::string& name) const {
  static const std::vector<double> none;
  const auto& attributes = primitive().at("attributes");
  return attributes.contains(name) ? numbers(attributes.at(name).get<std::size_t>()) : none;
}

std::size_t IndependentGlb::vertices() const {
  return attribute("POSITION").size() / 3;
}

const std::vector<double>& IndependentGlb::times(std::size_t clip) const {
  const auto& samplers = document_.at("animations").at(clip).at("samplers");
  const auto input = samplers.at(0).at("input").get<std::size_t>();
  for (const auto& sampler : samplers) expect(sampler.at("input") == input, "channels with different times");
  return numbers(input);
}

IndependentGlb::Pose IndependentGlb::default_pose() const {
  Pose pose;
  for (const auto& node : document_.at("nodes")) {
    expect(!node.contains("matrix"), "node with a matrix");
    pose.translation.push_back(vector_of<3>(node, "translation", {0, 0, 0}));
    pose.rotation.push_back(vector_of<4>(node, "rotation", {0, 0, 0, 1}));
    pose.scale.push_back(vector_of<3>(node, "scale", {1, 1, 1}));
  }
  return pose;
}

std::vector<IndependentGlb::Point> IndependentGlb::play(std::size_t clip, double time) const {
  Pose pose = default_pose();
  const auto& animation = document_.at("animations").at(clip);
  const std::vector<double>& key_times = times(clip);
  const auto later = std::ranges::lower_bound(key_times, time);
  const std::size_t next = std::min<std::size_t>(std::size_t(later - key_times.begin()), key_times.size() - 1);
  const std::size_t previous = key_times[next] <= time || next == 0 ? next : next - 1;
  const double t = next == previous ? 0 : (time - key_times[previous]) / (key_times[next] - key_times[previous]);
  for (const auto& channel : animation.at("channels")) {
    const auto& sampler = animation.at("samplers").at(channel.at("sampler").get<std::size_t>());
    expect(sampler.value("interpolation", "LINEAR") == "LINEAR", "interpolation is not linear");
    const std::vector<double>& keys = numbers(sampler.at("output").get<std::size_t>());
    const auto node = channel.at("target").at("node").get<std::size_t>();
    const auto path = channel.at("target").at("path").get<std::string>();
    expect(keys.size() == key_times.size() * (path == "rotation" ? 4 : 3), "not one key per time");
    if (path == "rotation") {
      std::array<double, 4> a, b;
      for (std::size_t i = 0; i < 4; ++i) a[i] = keys[4 * previous + i], b[i] = keys[4 * next + i];
      pose.rotation[node] = slerp(a, b, t);
    } else {
      auto& target = path == "scale" ? pose.scale[node] : pose.translation[node];
      for (std::size_t i = 0; i < 3; ++i) target[i] = (1 - t) * keys[3 * previous + i] + t * keys[3 * next + i];
    }
  }
  return skin(pose);
}

std::vector<IndependentGlb::Point> IndependentGlb::rest() const {
  return skin(default_pose());
}

std::vector<IndependentGlb::Matrix> IndependentGlb::joint_matrices(const Pose& pose) const {
  const auto& nodes = document_.at("nodes");
  std::vector<int> parent(nodes.size(), -1);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (!nodes[n].contains("children")) continue;
    for (const auto& child : nodes[n]["children"]) {
      int& slot = parent.at(child.get<std::size_t>());
      expect(slot == -1, "node with two parents");
      slot = int(n);
    }
  }
  const auto& skin = document_.at("skins").at(0);
  const std::vector<double>& inverse_binds = numbers(skin.at("inverseBindMatrices").get<std::size_t>());
  std::vector<Matrix> out;
  for (const auto& joint : skin.at("joints")) {
    Matrix matrix;
    std::copy_n(inverse_binds.begin() + std::ptrdiff_t(16 * out.size()), 16, matrix.begin());
    for (int n = joint.get<int>(); n >= 0; n = parent[std::size_t(n)]) {
      const auto i = std::size_t(n);
      matrix = multiply(compose(pose.translation[i], pose.rotation[i], pose.scale[i]), matrix);
    }
    out.push_back(matrix);
  }
  return out;
}

std::vector<IndependentGlb::Point> IndependentGlb::skin(const Pose& pose) const {
  const std::vector<Matrix> matrices = joint_matrices(pose);
  const std::vector<double>& positions = attribute("POSITION");
  std::vector<Point> out(positions.size() / 3, Point{0, 0, 0});
  for (std::size_t set = 0;; ++set) {
    const std::vector<double>& joints = attribute("JOINTS_" + std::to_string(set));
    const std::vector<double>& weights = attribute("WEIGHTS_" + std::to_string(set));
    if (joints.empty()) break;
    expect(joints.size() == 4 * out.size() && weights.size() == joints.size(), "not four joints per vertex");
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const Matrix& m = matrices.at(std::size_t(joints[k]));
      const double* p = positions.data() + 3 * (k / 4);
      for (std::size_t r = 0; r < 3; ++r) {
        out[k / 4][r] += weights[k] * (m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
      }
    }
  }
  return out;
}

}  // namespace marrow::testing
