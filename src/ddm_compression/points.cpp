#include "ddm_compression/points.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "core/eigen_affine.hpp"
#include "marrow/metrics.hpp"

namespace marrow::ddm_compression {
namespace {

/// Everything that determines how a vertex moves, as bytes.
std::string key_of(const DdmRig& ddm, std::size_t i) {
  std::string key;
  const auto add = [&](const auto* data, std::size_t count) {
    key.append(reinterpret_cast<const char*>(data), count * sizeof(*data));
  };
  const MultiWeights& weights = ddm.multi_weights;
  add(&ddm.rig.mesh.positions[i], 1);
  add(&ddm.centres[i], 1);
  const std::size_t begin = weights.offsets[i], count = weights.offsets[i + 1] - begin;
  add(weights.bones.data() + begin, count);
  add(weights.values.data() + begin, count);
  return key;
}

void add_row(const DdmRig& ddm, std::size_t i, DistinctPoints& points) {
  const MultiWeights& weights = ddm.multi_weights;
  points.centres.push_back((to_eigen(ddm.centres[i]) - points.middle) / points.size);
  const std::size_t first = points.weights.size();
  Matrix4 sum = Matrix4::Zero();
  const Vector4 scale(1 / points.size, 1 / points.size, 1 / points.size, 1);
  for (std::uint32_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) {
    const Matrix4 value = scale.asDiagonal() * to_matrix(weights.values[e]) * scale.asDiagonal();
    points.weights.push_back({weights.bones[e], value});
    sum += value;
  }
  // Floats left the sums slightly off 1 and 0.
  const Vector3 by = sum.topRightCorner<3, 1>() / sum(3, 3);
  for (std::size_t e = first; e < points.weights.size(); ++e) {
    points.weights[e].value = about(points.weights[e].value / sum(3, 3), by);
  }
  points.centres.back() += by;
  points.offsets.push_back(std::uint32_t(points.weights.size()));
}

void add_rings(const Mesh& mesh, DistinctPoints& points) {
  std::vector<std::set<std::uint32_t>> rings(points.count());
  for (const auto& [a, b] : edges(mesh)) {
    const std::uint32_t p = points.point_of[a], q = points.point_of[b];
    if (p == q) continue;
    rings[p].insert(q);
    rings[q].insert(p);
  }
  points.ring_offsets = {0};
  for (const std::set<std::uint32_t>& ring : rings) {
    points.ring.insert(points.ring.end(), ring.begin(), ring.end());
    points.ring_offsets.push_back(std::uint32_t(points.ring.size()));
  }
}

/// A third of the area of each triangle per corner, at least 1 % of the mean; scaled to sum to the number of vertices.
std::vector<double> areas(const Mesh& mesh, const DistinctPoints& points) {
  std::vector<double> area(points.count(), 0);
  for (const auto& [a, b, c] : triangles(mesh)) {
    const Vector3 o = to_eigen(mesh.positions[a]);
    const double share = (to_eigen(mesh.positions[b]) - o).cross(to_eigen(mesh.positions[c]) - o).norm() / 6;
    for (const std::uint32_t corner : {a, b, c}) area[points.point_of[corner]] += share;
  }
  const double mean = std::accumulate(area.begin(), area.end(), 0.0) / double(area.size());
  for (double& v : area) v = mean > 0 ? std::max(v, 0.01 * mean) : 1;
  const double sum = std::accumulate(area.begin(), area.end(), 0.0);
  for (double& v : area) v *= double(mesh.vertices()) / sum;
  return area;
}

}  // namespace

Matrix4 about(const Matrix4& value, const Vector3& by) {
  Matrix4 shift = Matrix4::Identity();
  shift.topRightCorner<3, 1>() = -by;
  return shift * value * shift.transpose();
}

Matrix4 to_matrix(const MultiWeights::Value& v) {
  Matrix4 m;
  m << v[0], v[1], v[2], v[3], v[1], v[4], v[5], v[6], v[2], v[5], v[7], v[8], v[3], v[6], v[8], v[9];
  return m;
}

MultiWeights::Value to_value(const Matrix4& m) {
  MultiWeights::Value v;
  std::size_t k = 0;
  for (int r = 0; r < 4; ++r) {
    for (int c = r; c < 4; ++c) v[k++] = float(m(r, c));
  }
  return v;
}

DistinctPoints distinct_points(const DdmRig& ddm, bool area_weights) {
  DistinctPoints points;
  const std::vector<Vec3>& positions = ddm.rig.mesh.positions;
  Vector3 low = to_eigen(positions.front()), high = low;
  for (const Vec3& p : positions) {
    low = low.cwiseMin(to_eigen(p));
    high = high.cwiseMax(to_eigen(p));
  }
  points.middle = (low + high) / 2;
  points.size = high == low ? 1 : (high - low).norm();
  points.offsets = {0};
  std::map<std::string, std::uint32_t> seen;
  std::vector<std::size_t> vertices;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto [place, fresh] = seen.emplace(key_of(ddm, i), std::uint32_t(points.count()));
    points.point_of.push_back(place->second);
    if (fresh) {
      points.mass.push_back(0);
      vertices.push_back(i);
      add_row(ddm, i, points);
    }
    ++points.mass[place->second];
  }
  points.rest.resize(4, to_index(points.count()));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    points.rest.col(to_index(i)) << (to_eigen(positions[vertices[i]]) - points.middle) / points.size, 1;
  }
  add_rings(ddm.rig.mesh, points);
  if (area_weights) points.mass = areas(ddm.rig.mesh, points);
  return points;
}

}  // namespace marrow::ddm_compression
