#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/rows.hpp"
#include "marrow/error.hpp"
#include "marrow/two_layer_rig.hpp"
#include "model/model_frames.hpp"

namespace marrow {

bool is_convex(const Blends& blends) {
  return std::all_of(blends.values.begin(), blends.values.end(), [](float v) { return v > 0; });
}

double TwoLayerRig::bones_per_vertex() const {
  const auto values = double(virtual_bones.values.size() + weights.values.size());
  return rig.vertices() == 0 ? 0 : values / double(rig.vertices());
}

void validate(const Blends& blends, std::size_t sources) {
  const auto fail = [](std::size_t row, const std::string& what) {
    throw Error(ErrorCode::bad_input, "Blends", fmt::format("row {}: {}", row, what));
  };
  const std::size_t entries = blends.sources.size();
  if (blends.offsets.empty() || blends.offsets.front() != 0 || blends.offsets.back() != entries ||
      blends.values.size() != entries) {
    throw Error(ErrorCode::bad_input, "Blends", "offsets, sources and values do not fit each other");
  }
  for (std::size_t i = 0; i < blends.rows(); ++i) {
    const std::uint32_t begin = blends.offsets[i], end = blends.offsets[i + 1];
    if (begin >= end || end > entries) fail(i, "must have at least one entry");
    double sum = 0, size = 0;
    for (std::uint32_t e = begin; e < end; ++e) {
      if (blends.sources[e] >= sources) fail(i, fmt::format("there is no source {}", blends.sources[e]));
      if (e > begin && blends.sources[e] <= blends.sources[e - 1]) fail(i, "sources must ascend");
      if (!std::isfinite(blends.values[e]) || blends.values[e] == 0) fail(i, "values must be finite and not 0");
      sum += blends.values[e];
      size += std::abs(blends.values[e]);
    }
    // Large values that cancel cannot do better in floats.
    if (std::abs(sum - 1) > 1e-4 * std::max(1.0, size)) fail(i, fmt::format("sums to {} instead of 1", sum));
  }
}

void validate(const TwoLayerRig& rig) {
  validate(rig.rig);
  validate(rig.virtual_bones, rig.rig.bones());
  validate(rig.weights, rig.virtual_bone_count());
  if (rig.weights.rows() != rig.rig.vertices()) {
    throw Error(ErrorCode::bad_input, "TwoLayerRig",
                fmt::format("{} rows for {} vertices", rig.weights.rows(), rig.rig.vertices()));
  }
}

namespace {

/// Sum of value * transform over the entries of a row.
Affine blend_row(const Blends& blends, std::size_t row, std::span<const Affine> from) {
  Affine result;
  result.m.fill(0);
  for (std::uint32_t e = blends.offsets[row]; e < blends.offsets[row + 1]; ++e) {
    const double value = blends.values[e];
    for (std::size_t q = 0; q < result.m.size(); ++q) result.m[q] += value * from[blends.sources[e]].m[q];
  }
  return result;
}

void require_size(std::size_t has, std::size_t wants, const char* what) {
  if (has == wants) return;
  throw Error(ErrorCode::bad_input, what, fmt::format("has {} places, but there are {}", has, wants));
}

}  // namespace

void virtual_transforms(const TwoLayerRig& rig, std::span<const Affine> pose, std::span<Affine> virtual_pose) {
  require_size(pose.size(), rig.rig.bones(), "pose");
  require_size(virtual_pose.size(), rig.virtual_bone_count(), "virtual pose");
  for (std::size_t k = 0; k < virtual_pose.size(); ++k) virtual_pose[k] = blend_row(rig.virtual_bones, k, pose);
}

void deform(const TwoLayerRig& rig, std::span<const Affine> pose, std::span<Vec3> positions) {
  require_size(positions.size(), rig.rig.vertices(), "positions");
  std::vector<Affine> bones(rig.virtual_bone_count());
  virtual_transforms(rig, pose, bones);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = transform(blend_row(rig.weights, i, bones), rig.rig.mesh.positions[i]);
  }
}

Sequence bake(const TwoLayerRig& rig, const Run& run) {
  return bake_model(rig, "posing", run);
}

namespace {

/// 1000 * RMS of the weights' residual. subtract(i, row) subtracts the original weights of vertex i from `row`.
template <class Subtract>
double error_of_layers(const TwoLayerRig& rig, const Subtract& subtract) {
  const std::size_t bones = rig.rig.bones(), n = rig.rig.vertices();
  std::vector<double> row(bones);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    subtract(i, row);
    for (std::uint32_t e = rig.weights.offsets[i]; e < rig.weights.offsets[i + 1]; ++e) {
      const std::uint32_t atom = rig.weights.sources[e];
      for (std::uint32_t d = rig.virtual_bones.offsets[atom]; d < rig.virtual_bones.offsets[atom + 1]; ++d) {
        row[rig.virtual_bones.sources[d]] += double(rig.weights.values[e]) * rig.virtual_bones.values[d];
      }
    }
    for (const double v : row) sum += v * v;
  }
  return 1000 * std::sqrt(sum / (double(bones) * double(n)));
}

}  // namespace

double weight_error(const Weights& weights, const TwoLayerRig& rig) {
  require_size(weights.vertices(), rig.rig.vertices(), "weights");
  return error_of_layers(rig, [&](std::size_t i, std::vector<double>& row) {
    for (std::uint32_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e)
      row[weights.bones[e]] -= weights.values[e];
  });
}

double weight_error(const Matrix& weights, const TwoLayerRig& rig) {
  require_size(weights.rows, rig.rig.vertices(), "weights");
  require_size(weights.columns, rig.rig.bones(), "a row of weights");
  return error_of_layers(rig, [&](std::size_t i, std::vector<double>& row) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] -= weights.row(i)[j];
  });
}

Rig bake_virtual_bones(const TwoLayerRig& rig) {
  if (!is_convex(rig.virtual_bones) || !is_convex(rig.weights)) {
    throw Error(ErrorCode::bad_input, "virtual bones",
                "some values are negative, which plain skins cannot have; compress without any sign");
  }
  Rig result;
  result.mesh = rig.rig.mesh;
  result.weights = {rig.weights.offsets, rig.weights.sources, rig.weights.values};
  for (std::size_t i = 0; i < rig.weights.rows(); ++i) {
    // Rig requires sums closer to 1 than layers do.
    double sum = 0;
    for (std::uint32_t e = rig.weights.offsets[i]; e < rig.weights.offsets[i + 1]; ++e) sum += rig.weights.values[e];
    for (std::uint32_t e = rig.weights.offsets[i]; e < rig.weights.offsets[i + 1]; ++e) {
      result.weights.values[e] = float(rig.weights.values[e] / sum);
    }
  }
  const std::size_t count = rig.virtual_bone_count();
  result.skeleton = centroid_skeleton(result.mesh, result.weights, count);
  result.motion.timeline = rig.rig.motion.timeline;
  result.motion.bones = count;
  result.motion.transforms.resize(result.motion.frames() * count);
  for (std::size_t t = 0; t < result.motion.frames(); ++t)
    virtual_transforms(rig, rig.rig.motion.frame(t), result.motion.frame(t));
  return result;
}

namespace {

/// Rounds a row to multiples of 1 / layer_steps with sum 1: rounds down, then adds the missing steps where most was
/// lost.
void quantise_row(std::vector<std::pair<std::uint32_t, double>>& row, Blends& blends) {
  constexpr int steps = layer_steps;
  double sum = 0;
  for (const auto& entry : row) sum += entry.second;
  std::vector<std::pair<double, std::size_t>> lost;
  std::vector<int> whole(row.size());
  int left = steps;
  for (std::size_t e = 0; e < row.size(); ++e) {
    const double exact = row[e].second / sum * steps;
    whole[e] = int(exact);
    left -= whole[e];
    lost.emplace_back(whole[e] - exact, e);
  }
  std::sort(lost.begin(), lost.end());
  for (std::size_t e = 0; left > 0; ++e, --left) ++whole[lost[e % lost.size()].second];
  for (std::size_t e = 0; e < row.size(); ++e) {
    if (whole[e] == 0) continue;
    blends.sources.push_back(row[e].first);
    blends.values.push_back(float(whole[e]) / steps);
  }
  blends.offsets.push_back(std::uint32_t(blends.sources.size()));
}

Blends quantised_blends(const Blends& blends) {
  if (!is_convex(blends)) return blends;
  Blends result{{0}, {}, {}};
  std::vector<std::pair<std::uint32_t, double>> row;
  for (std::size_t i = 0; i < blends.rows(); ++i) {
    row.clear();
    for (std::uint32_t e = blends.offsets[i]; e < blends.offsets[i + 1]; ++e) {
      row.emplace_back(blends.sources[e], blends.values[e]);
    }
    quantise_row(row, result);
  }
  return result;
}

}  // namespace

TwoLayerRig quantised(const TwoLayerRig& rig) {
  return {rig.rig, quantised_blends(rig.virtual_bones), quantised_blends(rig.weights)};
}

std::size_t storage(const TwoLayerRig& rig, bool floats) {
  const auto layer = [floats](const Blends& blends, std::size_t sources) {
    const std::size_t value = !floats && is_convex(blends) ? sizeof(std::uint16_t) : sizeof(float);
    // One value per row is not stored: it is 1 minus the others.
    return value * (blends.values.size() - blends.rows()) + row_bytes(blends.offsets, sources);
  };
  return layer(rig.virtual_bones, rig.rig.bones()) + layer(rig.weights, rig.virtual_bone_count());
}

}  // namespace marrow
