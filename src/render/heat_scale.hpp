#pragma once

#include <array>

#include "marrow/render.hpp"

namespace marrow {

/// Colours of heat maps: a path through OKLab from blue over green and yellow to red at constant speed, so that equal
/// steps of value look equally large.
class HeatScale {
 public:
  HeatScale();
  /// Colour at `fraction` of the path, clamped to 0 and 1.
  Rgb at(double fraction) const;

 private:
  std::array<Rgb, 1024> colors_;
};

}  // namespace marrow
