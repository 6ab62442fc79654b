#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "marrow/two_layer.hpp"
#include "reduction/dense_rig.hpp"

namespace marrow::testing {

using Rows = std::vector<std::vector<double>>;

/// A row per vertex, a column per bone.
inline Rows dense_rows(const Weights& weights, std::size_t bones) {
  Rows rows(weights.vertices(), std::vector<double>(bones));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) {
      rows[i][weights.bones[e]] = weights.values[e];
    }
  }
  return rows;
}

/// What one layer blends of these.
inline Rows blend(const Blends& blends, const Rows& sources) {
  Rows rows(blends.rows(), std::vector<double>(sources.front().size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t e = blends.offsets[i]; e < blends.offsets[i + 1]; ++e) {
      const std::vector<double>& from = sources[blends.sources[e]];
      for (std::size_t x = 0; x < from.size(); ++x) rows[i][x] += double(blends.values[e]) * from[x];
    }
  }
  return rows;
}

/// The weights that both layers stand for.
inline Rows blended_rows(const TwoLayerRig& rig) {
  Rows bones(rig.rig.bones(), std::vector<double>(rig.rig.bones()));
  for (std::size_t j = 0; j < bones.size(); ++j) bones[j][j] = 1;
  return blend(rig.weights, blend(rig.virtual_bones, bones));
}

/// Delta_W, written down once more.
inline double delta_w(const Rows& a, const Rows& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t x = 0; x < a[i].size(); ++x) sum += (a[i][x] - b[i][x]) * (a[i][x] - b[i][x]);
  }
  return 1000 * std::sqrt(sum / double(a.size() * a.front().size()));
}

inline std::size_t longest_row(const Blends& blends) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < blends.rows(); ++i) {
    longest = std::max<std::size_t>(longest, blends.offsets[i + 1] - blends.offsets[i]);
  }
  return longest;
}

/// What must hold for every result. Rows are divided by their sums last, so these are 1 up to a rounding per value.
inline void expect_layers(const TwoLayerRig& result, const CompressOptions& asked, std::size_t coefficients) {
  validate(result);
  for (const Blends* layer : {&result.virtual_bones, &result.weights}) {
    for (std::size_t i = 0; i < layer->rows(); ++i) {
      double sum = 0, size = 0;
      for (std::size_t e = layer->offsets[i]; e < layer->offsets[i + 1]; ++e) {
        sum += layer->values[e];
        size += std::abs(layer->values[e]);
      }
      ASSERT_NEAR(sum, 1, 1e-6 * size) << "row " << i;
    }
  }
  if (!asked.any_sign && asked.method == CompressMethod::refined) {
    EXPECT_TRUE(is_convex(result.virtual_bones));
    EXPECT_TRUE(is_convex(result.weights));
  }
  EXPECT_LE(longest_row(result.weights), coefficients);
  if (asked.cardinality > 0) {
    EXPECT_LE(longest_row(result.virtual_bones), asked.cardinality);
  }
  if (asked.virtual_bones) {
    EXPECT_LE(result.virtual_bone_count(), *asked.virtual_bones);
  } else if (!asked.error) {
    EXPECT_LE(result.bones_per_vertex(), asked.bones_per_vertex.value_or(4));
  }
}

/// Smooth weights without noise: what layers are made for.
inline Rig smooth_rig(Rig rig) {
  const std::vector<Vec3> middles = weighted_centroids(rig.mesh, rig.weights, rig.bones());
  const double size = size_of(rig.mesh.positions);
  Weights weights{{0}, {}, {}};
  for (const Vec3& p : rig.mesh.positions) {
    std::vector<double> row;
    double sum = 0;
    for (const Vec3& m : middles) {
      const double distance = std::hypot(p.x - m.x, p.y - m.y, p.z - m.z) / size;
      row.push_back(1 / (0.002 + distance * distance));
      sum += row.back();
    }
    for (std::size_t j = 0; j < row.size(); ++j) {
      weights.bones.push_back(std::uint32_t(j));
      weights.values.push_back(float(row[j] / sum));
    }
    weights.offsets.push_back(std::uint32_t(weights.bones.size()));
  }
  rig.weights = std::move(weights);
  return rig;
}

/// Different meshes and bones, all vertices follow all bones.
inline std::vector<Rig> smooth_rigs() {
  return {smooth_rig(synthetic::quadruped({.vertices = 500, .frames = 8})),
          smooth_rig(synthetic::arm({.vertices = 400, .frames = 6})),
          smooth_rig(synthetic::shells({.vertices = 300, .frames = 6}, 9))};
}

inline Matrix to_matrix(const Rows& rows) {
  Matrix matrix{rows.size(), rows.front().size(), {}};
  for (const std::vector<double>& row : rows) {
    for (const double v : row) matrix.values.push_back(float(v));
  }
  return matrix;
}

}  // namespace marrow::testing
