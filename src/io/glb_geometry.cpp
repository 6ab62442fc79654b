#include "io/glb_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/check.hpp"

namespace marrow::glb {
namespace {

enum Mode : std::size_t { points = 0, triangle_list = 4, triangle_strip = 5, triangle_fan = 6 };

bool has_faces(std::size_t mode) {
  return mode >= triangle_list && mode <= triangle_fan;
}

std::vector<Vec3> to_vectors(const std::vector<float>& values) {
  std::vector<Vec3> out(values.size() / 3);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
  return out;
}

/// Corners of triangles from the vertices of a list, strip or fan (glTF 2.0, section 3.7.2.1).
std::vector<std::uint32_t> triangle_corners(const std::vector<std::uint32_t>& vertices, std::size_t mode) {
  if (mode == triangle_list) return vertices;
  std::vector<std::uint32_t> out;
  for (std::size_t e = 0; e + 2 < vertices.size(); ++e) {
    // Every second triangle of a strip has the opposite orientation.
    const std::size_t odd = e % 2;
    const std::uint32_t a = mode == triangle_fan ? vertices[0] : vertices[e];
    const std::uint32_t b = mode == triangle_fan ? vertices[e + 1] : vertices[e + 1 + odd];
    const std::uint32_t c = mode == triangle_fan ? vertices[e + 2] : vertices[e + 2 - odd];
    // Degenerate triangles join strips.
    if (a != b && b != c && c != a) out.insert(out.end(), {a, b, c});
  }
  return out;
}

/// One primitive of a mesh and the accessors that are read.
struct Primitive {
  std::string place;
  std::size_t mode = triangle_list, position = 0;
  std::optional<std::size_t> indices, normal, uv, color, tangent;
  std::vector<std::pair<std::size_t, std::size_t>> skin;  // accessors of joints and weights, per set of four
  std::vector<std::optional<std::size_t>> targets;

  /// Primitives with equal keys share one copy of the vertices, with the colours of the first.
  auto key() const { return std::tuple(position, normal, uv, skin, targets); }
};

class Builder {
 public:
  Builder(const Document& document, const Scene& scene) : document_(document), scene_(scene) {}

  Geometry build() {
    for (std::size_t n = 0; n < scene_.nodes.size(); ++n) {
      if (scene_.nodes[n].visible && scene_.nodes[n].mesh) add_instance(n);
    }
    if (out_.mesh.positions.empty()) {
      document_.fail("scene", "shows no mesh with triangles or points; there is nothing to read");
    }
    finish();
    return std::move(out_);
  }

 private:
  Primitive read_primitive(const Json& json, std::string place) const;
  std::vector<Primitive> read_primitives(std::size_t mesh) const;
  void add_instance(std::size_t node);
  Range add_vertices(const Primitive& primitive, Instance& instance);
  void add_attributes(const Primitive& primitive, std::size_t count);
  void add_colors(const Primitive& primitive, std::size_t count);
  void add_influences(const Primitive& primitive, std::size_t count);
  void add_targets(const Primitive& primitive, std::size_t count, Instance& instance);
  void add_corners(const Primitive& primitive, Range vertices);
  void fold(Instance& instance, std::size_t mesh);
  void finish();
  std::vector<float> numbers(std::size_t accessor, std::size_t width, std::size_t count, std::string_view what,
                             const Primitive& primitive) const;
  std::vector<Vec3> vectors(std::size_t accessor, std::size_t count, std::string_view what,
                            const Primitive& primitive) const;

  const Document& document_;
  const Scene& scene_;
  Geometry out_;
  std::vector<std::uint32_t> corner_attributes_;  // per corner, index into uvs and normals
  bool all_uvs_ = true, all_normals_ = true;
  std::size_t joints_ = 0;  // joints in the skin of the current instance
};

Primitive Builder::read_primitive(const Json& json, std::string place) const {
  Primitive out;
  out.place = std::move(place);
  if (!json.is_object()) document_.fail(out.place, "is not an object");
  out.mode = document_.integer(json, "mode", out.place).value_or(triangle_list);
  out.indices = document_.reference(json, "indices", "accessors", out.place);
  const Json* attributes = document_.object(json, "attributes", out.place);
  if (attributes == nullptr) document_.fail(out.place, "has no attributes");
  const auto find = [&](const Json& from, const char* name) {
    return document_.reference(from, name, "accessors", out.place);
  };
  out.position = document_.required_reference(*attributes, "POSITION", "accessors", out.place);
  out.normal = find(*attributes, "NORMAL");
  out.uv = find(*attributes, "TEXCOORD_0");
  out.color = find(*attributes, "COLOR_0");
  out.tangent = find(*attributes, "TANGENT");
  for (std::size_t set = 0;; ++set) {
    const auto joints = find(*attributes, fmt::format("JOINTS_{}", set).c_str());
    if (!joints) break;
    const auto weights = find(*attributes, fmt::format("WEIGHTS_{}", set).c_str());
    if (!weights) document_.fail(out.place, fmt::format("has JOINTS_{0}, but no WEIGHTS_{0}", set));
    out.skin.emplace_back(*joints, *weights);
  }
  for (const Json& target : document_.list(json, "targets", out.place)) {
    if (!target.is_object()) document_.fail(out.place, "a morph target is not an object");
    out.targets.push_back(find(target, "POSITION"));
  }
  return out;
}

/// Primitives with triangles, or points if there are none. Lines are ignored.
std::vector<Primitive> Builder::read_primitives(std::size_t mesh) const {
  const std::string place = fmt::format("meshes[{}]", mesh);
  std::vector<Primitive> all;
  for (const Json& json : document_.list(document_.item("meshes", mesh), "primitives", place)) {
    all.push_back(read_primitive(json, fmt::format("{}.primitives[{}]", place, all.size())));
  }
  const bool any_faces = std::ranges::any_of(all, [](const Primitive& p) { return has_faces(p.mode); });
  std::erase_if(all, [&](const Primitive& p) { return any_faces ? !has_faces(p.mode) : p.mode != points; });
  return all;
}

void Builder::add_instance(std::size_t node) {
  Instance instance;
  instance.node = node;
  instance.skin = scene_.nodes[node].skin;
  instance.vertices.first = out_.mesh.positions.size();
  instance.attributes.first = out_.mesh.uvs.size();
  instance.corners.first = out_.mesh.face_vertices.size();
  if (instance.skin) {
    const std::string place = fmt::format("skins[{}]", *instance.skin);
    joints_ = document_.list(document_.item("skins", *instance.skin), "joints", place).size();
    if (joints_ == 0) document_.fail(place, "has no joints");
  }
  const std::size_t mesh = *scene_.nodes[node].mesh;
  // Exporters let primitives share vertices and differ in indices: keep one copy.
  std::map<decltype(std::declval<Primitive>().key()), Range> known;
  for (const Primitive& primitive : read_primitives(mesh)) {
    const auto [place, is_new] = known.try_emplace(primitive.key());
    if (is_new) place->second = add_vertices(primitive, instance);
    if (has_faces(primitive.mode)) add_corners(primitive, place->second);
  }
  instance.vertices.count = out_.mesh.positions.size() - instance.vertices.first;
  instance.attributes.count = out_.mesh.uvs.size() - instance.attributes.first;
  instance.corners.count = out_.mesh.face_vertices.size() - instance.corners.first;
  fold(instance, mesh);
  if (instance.vertices.count != 0) out_.instances.push_back(std::move(instance));
}

/// `width` finite numbers for each of `count` vertices.
std::vector<float> Builder::numbers(std::size_t accessor, std::size_t width, std::size_t count, std::string_view what,
                                    const Primitive& primitive) const {
  std::vector<float> out = document_.floats(accessor, width);
  if (out.size() != width * count) {
    document_.fail(primitive.place, fmt::format("{} {} for {} vertices", out.size() / width, what, count));
  }
  const auto bad = std::ranges::find_if(out, [](float v) { return !std::isfinite(v); });
  if (bad != out.end()) {
    document_.fail(primitive.place, fmt::format("{}[{}] is not finite", what, std::size_t(bad - out.begin()) / width));
  }
  return out;
}

std::vector<Vec3> Builder::vectors(std::size_t accessor, std::size_t count, std::string_view what,
                                   const Primitive& primitive) const {
  return to_vectors(numbers(accessor, 3, count, what, primitive));
}

/// Returns the range of the added vertices, before fold() removes copies.
Range Builder::add_vertices(const Primitive& primitive, Instance& instance) {
  const std::size_t count = document_.accessor_count(primitive.position);
  const std::vector<Vec3> positions = vectors(primitive.position, count, "positions", primitive);
  if (out_.mesh.uvs.size() + count > std::numeric_limits<std::uint32_t>::max()) {
    document_.fail(primitive.place, "there are more vertices than 32-bit indices can name");
  }
  document_.charge(count, sizeof(Vec3) + sizeof(Vec3) + sizeof(Vec2), primitive.place);
  const Range range{out_.mesh.positions.size(), count};
  add_targets(primitive, count, instance);
  out_.mesh.positions.insert(out_.mesh.positions.end(), positions.begin(), positions.end());
  add_attributes(primitive, count);
  add_colors(primitive, count);
  if (instance.skin) {
    add_influences(primitive, count);
  } else {
    out_.influence_offsets.resize(out_.mesh.positions.size() + 1, out_.influence_offsets.back());
  }
  return range;
}

void Builder::add_attributes(const Primitive& primitive, std::size_t count) {
  const std::size_t first = out_.mesh.uvs.size();
  out_.mesh.uvs.resize(first + count, {0, 0});
  out_.mesh.normals.resize(first + count, {0, 0, 0});
  std::vector<float> uvs;
  if (primitive.uv) uvs = numbers(*primitive.uv, 2, count, "texture coordinates", primitive);
  // Not used, but checked.
  if (primitive.tangent) numbers(*primitive.tangent, 4, count, "tangents", primitive);
  // uvs and normals belong to corners; points have none.
  if (!has_faces(primitive.mode)) return;
  all_uvs_ = all_uvs_ && primitive.uv;
  all_normals_ = all_normals_ && primitive.normal;
  if (all_uvs_) {
    // glTF counts v from the top.
    for (std::size_t i = 0; i < count; ++i) out_.mesh.uvs[first + i] = {uvs[2 * i], 1 - uvs[2 * i + 1]};
  }
  if (all_normals_) {
    std::ranges::copy(vectors(*primitive.normal, count, "normals", primitive),
                      out_.mesh.normals.begin() + std::ptrdiff_t(first));
  }
}

void Builder::add_colors(const Primitive& primitive, std::size_t count) {
  if (!primitive.color && out_.colors.empty()) return;
  out_.colors.resize(out_.mesh.positions.size(), {1, 1, 1});
  if (!primitive.color) return;
  // Alpha is ignored.
  const std::size_t width = Document::text(document_.item("accessors", *primitive.color), "type") == "VEC4" ? 4 : 3;
  const std::vector<float> values = numbers(*primitive.color, width, count, "colours", primitive);
  const std::size_t first = out_.colors.size() - count;
  for (std::size_t i = 0; i < count; ++i) {
    out_.colors[first + i] = {values[width * i], values[width * i + 1], values[width * i + 2]};
  }
}

void Builder::add_influences(const Primitive& primitive, std::size_t count) {
  if (primitive.skin.empty()) {
    document_.fail(primitive.place, "belongs to a skinned node, but has no JOINTS_0 and WEIGHTS_0");
  }
  std::vector<std::vector<std::uint32_t>> joints;
  std::vector<std::vector<float>> weights;
  for (const auto& [joint_accessor, weight_accessor] : primitive.skin) {
    joints.push_back(document_.integers(joint_accessor, 4));
    weights.push_back(numbers(weight_accessor, 4, count, "weights", primitive));
    if (joints.back().size() != 4 * count) {
      document_.fail(primitive.place, fmt::format("{} joints for {} vertices", joints.back().size() / 4, count));
    }
  }
  document_.charge(4 * count * joints.size(), sizeof(Influence), primitive.place);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t set = 0; set < joints.size(); ++set) {
      for (std::size_t e = 4 * i; e < 4 * i + 4; ++e) {
        const float w = weights[set][e];
        if (!(w > 0)) continue;
        if (joints[set][e] >= joints_) {
          document_.fail(primitive.place, fmt::format("vertex {} follows joint {}, but the skin has only {}", i,
                                                      joints[set][e], joints_));
        }
        out_.influences.push_back({joints[set][e], w});
      }
    }
    if (out_.influences.size() > std::numeric_limits<std::uint32_t>::max()) {
      document_.fail(primitive.place, "there are more weights than 32-bit indices can name");
    }
    out_.influence_offsets.push_back(std::uint32_t(out_.influences.size()));
  }
}

/// Primitives may differ in the number of targets; missing targets are zero.
void Builder::add_targets(const Primitive& primitive, std::size_t count, Instance& instance) {
  const std::size_t before = out_.mesh.positions.size() - instance.vertices.first;
  const std::size_t targets = std::max(primitive.targets.size(), instance.targets.size());
  document_.charge(targets * count + (targets - instance.targets.size()) * before, sizeof(Vec3), primitive.place);
  instance.targets.resize(targets, std::vector<Vec3>(before, {0, 0, 0}));
  for (std::size_t t = 0; t < targets; ++t) {
    std::vector<Vec3>& offsets = instance.targets[t];
    if (t < primitive.targets.size() && primitive.targets[t]) {
      const std::vector<Vec3> read = vectors(*primitive.targets[t], count, "morph offsets", primitive);
      offsets.insert(offsets.end(), read.begin(), read.end());
    } else {
      offsets.resize(before + count, {0, 0, 0});
    }
  }
}

void Builder::add_corners(const Primitive& primitive, Range vertices) {
  std::vector<std::uint32_t> indices;
  if (primitive.indices) {
    indices = document_.integers(*primitive.indices, 1);
  } else {
    document_.charge(vertices.count, sizeof(std::uint32_t), primitive.place);
    for (std::size_t i = 0; i < vertices.count; ++i) indices.push_back(std::uint32_t(i));
  }
  const auto bad = std::ranges::find_if(indices, [&](std::uint32_t v) { return v >= vertices.count; });
  if (bad != indices.end()) {
    document_.fail(primitive.place, fmt::format("index {} is {}, but there are only {} vertices", bad - indices.begin(),
                                                *bad, vertices.count));
  }
  if (primitive.mode == triangle_list && indices.size() % 3 != 0) {
    document_.fail(primitive.place, fmt::format("{} indices do not make whole triangles", indices.size()));
  }
  document_.charge(3 * indices.size(), 4 * sizeof(std::uint32_t), primitive.place);
  const std::vector<std::uint32_t> corners = triangle_corners(indices, primitive.mode);
  if (out_.mesh.face_vertices.size() + corners.size() > std::numeric_limits<std::uint32_t>::max()) {
    document_.fail(primitive.place, "there are more corners than 32-bit indices can name");
  }
  for (const std::uint32_t v : corners) {
    out_.mesh.face_vertices.push_back(std::uint32_t(vertices.first + v));
  }
}

/// Removes the copies of vertices on texture or normal seams in files that this library wrote; `extras` names the
/// source of each copy. Copies come last. Their texture coordinates and normals are kept.
void Builder::fold(Instance& instance, std::size_t mesh) {
  for (std::size_t c = instance.corners.first; c < instance.corners.end(); ++c) {
    const std::size_t v = out_.mesh.face_vertices[c] - instance.vertices.first;
    corner_attributes_.push_back(std::uint32_t(instance.attributes.first + v));
  }
  const std::string place = fmt::format("meshes[{}].extras", mesh);
  const Json& json = document_.item("meshes", mesh);
  const auto extras = json.find("extras");
  if (extras == json.end() || !extras->is_object()) return;
  const Json* own = document_.object(*extras, "marrow", place);
  if (own == nullptr) return;
  const Json& sources = document_.list(*own, "source_vertices", place);
  if (sources.size() > instance.vertices.count) document_.fail(place, "has more source_vertices than vertices");

  const std::size_t kept = instance.vertices.count - sources.size();
  std::vector<std::uint32_t> source_of;
  for (const Json& source : sources) {
    if (!source.is_number_unsigned() || source.get<std::size_t>() >= kept) {
      document_.fail(place, fmt::format("source_vertices[{}] is not one of the {} vertices", source_of.size(), kept));
    }
    source_of.push_back(source.get<std::uint32_t>());
  }
  for (std::size_t c = instance.corners.first; c < instance.corners.end(); ++c) {
    std::uint32_t& v = out_.mesh.face_vertices[c];
    const std::size_t own_index = v - instance.vertices.first;
    if (own_index >= kept) v = std::uint32_t(instance.vertices.first + source_of[own_index - kept]);
  }
  instance.vertices.count = kept;
  out_.mesh.positions.resize(instance.vertices.end());
  if (!out_.colors.empty()) out_.colors.resize(instance.vertices.end());
  out_.influence_offsets.resize(instance.vertices.end() + 1);
  out_.influences.resize(out_.influence_offsets.back());
  for (auto& target : instance.targets) target.resize(kept);
}

void Builder::finish() {
  Mesh& mesh = out_.mesh;
  if (mesh.face_vertices.empty()) all_uvs_ = all_normals_ = false;
  if (all_uvs_) {
    mesh.corner_uvs = corner_attributes_;
  } else {
    mesh.uvs.clear();
  }
  if (all_normals_) {
    mesh.corner_normals = std::move(corner_attributes_);
  } else {
    mesh.normals.clear();
  }
  if (mesh.face_vertices.empty()) return;
  for (std::size_t corner = 0; corner <= mesh.face_vertices.size(); corner += 3) {
    mesh.face_offsets.push_back(std::uint32_t(corner));
  }
}

}  // namespace

Geometry read_geometry(const Document& document, const Scene& scene) {
  return Builder(document, scene).build();
}

void morph(const Geometry& geometry, const Instance& instance, const std::vector<double>& weights,
           std::vector<Vec3>& positions) {
  const std::size_t first = instance.vertices.first;
  for (std::size_t i = first; i < instance.vertices.end(); ++i) {
    const Vec3& p = geometry.mesh.positions[i];
    std::array<double, 3> sum{p.x, p.y, p.z};
    for (std::size_t t = 0; t < std::min(weights.size(), instance.targets.size()); ++t) {
      if (weights[t] == 0) continue;
      const Vec3& d = instance.targets[t][i - first];
      sum[0] += weights[t] * d.x;
      sum[1] += weights[t] * d.y;
      sum[2] += weights[t] * d.z;
    }
    positions[i] = {float(sum[0]), float(sum[1]), float(sum[2])};
  }
}

}  // namespace marrow::glb
