#include "view/quantise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace marrow::view {
namespace {

constexpr double top = 65535;

std::array<double, 3> coordinates(const Vec3& p, const std::array<double, 3>& centre) {
  return {p.x - centre[0], p.y - centre[1], p.z - centre[2]};
}

struct Box {
  std::array<double, 3> low{}, high{};
};

Box box_of(std::span<const Vec3> positions, const std::array<double, 3>& centre) {
  Box box;
  if (positions.empty()) return box;
  box.low = box.high = coordinates(positions[0], centre);
  for (const Vec3& p : positions) {
    const auto c = coordinates(p, centre);
    for (std::size_t a = 0; a < 3; ++a) {
      box.low[a] = std::min(box.low[a], c[a]);
      box.high[a] = std::max(box.high[a], c[a]);
    }
  }
  return box;
}

}  // namespace

QuantisedFrames quantise(const Sequence& sequence, std::span<const std::size_t> frames,
                         const std::array<double, 3>& centre) {
  QuantisedFrames result;
  std::array<double, 3> extent{}, reach{};
  for (const std::size_t t : frames) {
    const Box box = box_of(sequence.frame(t), centre);
    for (std::size_t a = 0; a < 3; ++a) {
      // The page computes with the origin in float: rounds down, so that no offset is negative.
      const auto origin = std::nextafter(float(box.low[a]), -std::numeric_limits<float>::infinity());
      result.origins.push_back(origin);
      extent[a] = std::max(extent[a], box.high[a] - origin);
      reach[a] = std::max({reach[a], std::abs(box.low[a]), std::abs(box.high[a])});
    }
  }
  double squares = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    result.step[a] = std::nextafter(float(extent[a] / top), std::numeric_limits<float>::infinity());
    // Half a step plus the rounding of the page's floats.
    const double off = result.step[a] / 2.0 + 2 * std::numeric_limits<float>::epsilon() * reach[a];
    squares += off * off;
  }
  result.bound = std::sqrt(squares);

  result.values.reserve(frames.size() * sequence.vertices() * 3);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    for (std::size_t a = 0; a < 3; ++a) {
      for (const Vec3& p : sequence.frame(frames[f])) {
        const double steps = (coordinates(p, centre)[a] - result.origins[3 * f + a]) / result.step[a];
        result.values.push_back(std::uint16_t(std::clamp(std::round(steps), 0.0, top)));
      }
    }
  }
  return result;
}

}  // namespace marrow::view
