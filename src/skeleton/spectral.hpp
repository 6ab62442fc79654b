#pragma once

#include "skeleton/patches.hpp"

namespace marrow::skeleton {

/// Clusters patches (0 to count - 1) by the method's clustering; there must be as many as that.
std::vector<std::uint32_t> spectral_clusters(SkeletonMethod method, const Patches& patches, const Positions& positions,
                                             std::size_t count, const Run& run);

}  // namespace marrow::skeleton
