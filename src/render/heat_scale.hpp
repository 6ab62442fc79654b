#pragma once

#include <array>

#include "marrow/render.hpp"

namespace marrow {

/// The colours of heat maps: a way through OKLab from blue over green and yellow to red, walked at even speed, so that
/// equal differences of value are equal differences to the eye.
class HeatScale {
 public:
  HeatScale();
  /// `fraction` of the way, cut off at 0 and 1.
  Rgb at(double fraction) const;

 private:
  std::array<Rgb, 1024> colors_;
};

}  // namespace marrow
