#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "render/camera.hpp"

namespace marrow {

/// Columns [left, right) and rows [top, bottom) of samples.
struct Window {
  int left, top, right, bottom;
};

/// Sample (x, y) lies at (x + 1/2 + shift[y % 3], y + 1/2 + shift[x % 3]).
struct SamplePattern {
  static constexpr double reach = 0.3125;  ///< largest magnitude of a shift
  std::array<double, 3> shift{0, 0, 0};

  double x(int column, int row) const { return column + 0.5 + shift[std::size_t(row) % 3]; }
  double y(int column, int row) const { return row + 0.5 + shift[std::size_t(column) % 3]; }
};

/// Calls visit(x, y, nearness) for the samples inside a triangle or on its edges. Corners are rounded to 1/256 of a
/// sample: up to 2^17 samples of width, edge functions are exact in double, and adjacent triangles leave no gap.
template <class Visit>
void rasterize(std::array<ScreenPoint, 3> corner, const Window& window, const SamplePattern& pattern, Visit&& visit) {
  for (ScreenPoint& p : corner) {
    p.x = std::round(p.x * 256) / 256;
    p.y = std::round(p.y * 256) / 256;
  }
  auto [a, b, c] = corner;
  double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (area == 0) return;
  if (area < 0) {
    std::swap(b, c);
    area = -area;
  }
  const auto [x_low, x_high] = std::minmax({a.x, b.x, c.x});
  const auto [y_low, y_high] = std::minmax({a.y, b.y, c.y});
  // Clamps before converting: corners may lie anywhere.
  const auto cell = [](double v, int low, int high) { return int(std::clamp<double>(v, low, high)); };
  const int left = cell(std::ceil(x_low - 0.5 - SamplePattern::reach), window.left, window.right);
  const int right = cell(std::floor(x_high + 0.5 + SamplePattern::reach), window.left, window.right);
  const int top = cell(std::ceil(y_low - 0.5 - SamplePattern::reach), window.top, window.bottom);
  const int bottom = cell(std::floor(y_high + 0.5 + SamplePattern::reach), window.top, window.bottom);

  const double gradient_x = ((b.nearness - a.nearness) * (c.y - a.y) - (c.nearness - a.nearness) * (b.y - a.y)) / area;
  const double gradient_y = ((c.nearness - a.nearness) * (b.x - a.x) - (b.nearness - a.nearness) * (c.x - a.x)) / area;
  const auto [near_low, near_high] = std::minmax({a.nearness, b.nearness, c.nearness});
  for (int row = top; row < bottom; ++row) {
    for (int column = left; column < right; ++column) {
      const double x = pattern.x(column, row), y = pattern.y(column, row);
      if ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) < 0) continue;
      if ((c.x - b.x) * (y - b.y) - (c.y - b.y) * (x - b.x) < 0) continue;
      if ((a.x - c.x) * (y - c.y) - (a.y - c.y) * (x - c.x) < 0) continue;
      // Clamps: on triangles seen nearly edge-on the slope is steep.
      const double nearness = a.nearness + gradient_x * (x - a.x) + gradient_y * (y - a.y);
      visit(column, row, float(std::clamp(nearness, near_low, near_high)));
    }
  }
}

}  // namespace marrow
