#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ddm/smoother.hpp"
#include "ddm/surface.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"

namespace marrow::ddm {

/// Smoothed weights below this are zero.
inline constexpr double least_weight = 1e-6;

/// Per point and bone, compressed rows sorted by bone:
/// Psi_ij = sum_k B_ik w_kj u_k u_k^T, the smoothed second moments of what bone j moves (order as in MultiWeights),
/// about point i itself, and w'_ij, the weights smoothed for translations. Rows of both sum to 1 but for what is below
/// least_weight.
struct Moments {
  struct Entry {
    std::uint32_t bone = 0;
    std::array<double, 10> psi{};
    double weight = 0;
  };
  std::vector<std::uint32_t> offsets;  ///< #points + 1
  std::vector<Entry> entries;
};

/// What each bone moves before smoothing: the points and weights of bone j are in row j.
struct BoneRows {
  struct Entry {
    std::uint32_t point;
    float weight;
  };
  std::vector<std::vector<Entry>> rows;
};

/// The rig's weights by bone; with `rigid`, each point follows only the bone with its largest weight.
BoneRows bind(const Rig& rig, const Surface& surface, bool rigid);

Moments smooth_moments(const Surface& surface, const BoneRows& bound, const Smoother& rotation,
                       const Smoother& translation, int steps, const Run& run);

}  // namespace marrow::ddm
