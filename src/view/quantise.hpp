#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "marrow/sequence.hpp"

namespace marrow::view {

/// Frames in 16 bits per coordinate. Every frame has an origin of its own, so that a model that travels loses nothing
/// by it; the steps are those of the largest frame.
struct QuantisedFrames {
  std::array<float, 3> step{};
  std::vector<float> origins;         ///< #frames x 3
  std::vector<std::uint16_t> values;  ///< #frames x 3 x #vertices: all x of a frame, all y, all z
  double bound = 0;                   ///< no position is off by more, model units
};

/// `frames`: which ones, in order. Positions are taken relative to `centre`.
QuantisedFrames quantise(const Sequence& sequence, std::span<const std::size_t> frames,
                         const std::array<double, 3>& centre);

}  // namespace marrow::view
