#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "marrow/sequence.hpp"

namespace marrow::view {

/// Frames with 16 bits per coordinate. Every frame has its own origin, so that travelling models keep precision; the
/// step is that of the largest frame.
struct QuantisedFrames {
  std::array<float, 3> step{};
  std::vector<float> origins;         ///< #frames x 3
  std::vector<std::uint16_t> values;  ///< #frames x 3 x #vertices: all x of a frame, all y, all z
  double bound = 0;                   ///< largest position error, model units
};

/// `frames`: indices of frames, in order. Positions are relative to `centre`.
QuantisedFrames quantise(const Sequence& sequence, std::span<const std::size_t> frames,
                         const std::array<double, 3>& centre);

}  // namespace marrow::view
