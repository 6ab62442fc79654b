#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ddm/smoother.hpp"
#include "ddm/surface.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"

namespace marrow::ddm {

/// Smaller smoothed weights count as zero.
inline constexpr double least_weight = 1e-6;

/// Per point and bone, compressed rows sorted by bone: Psi_ij = sum_k B_ik w_kj u_k u_k^T (smoothed second moments of
/// bone j's points, components as in MultiWeights, about point i), and w'_ij (weights smoothed for translations). Both
/// sum to 1 per row, except for what is below least_weight.
struct Moments {
  struct Entry {
    std::uint32_t bone = 0;
    std::array<double, 10> psi{};
    double weight = 0;
  };
  std::vector<std::uint32_t> offsets;  ///< #points + 1
  std::vector<Entry> entries;
};

/// Weights by bone before smoothing: row j has the points of bone j.
struct BoneRows {
  struct Entry {
    std::uint32_t point;
    float weight;
  };
  std::vector<std::vector<Entry>> rows;
};

/// The rig's weights by bone. `rigid`: only the largest weight per point, set to 1.
BoneRows bind(const Rig& rig, const WeldedSurface& surface, bool rigid);

Moments smooth_moments(const WeldedSurface& surface, const BoneRows& bound, const Smoother& rotation,
                       const Smoother& translation, int steps, const Run& run);

}  // namespace marrow::ddm
