#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marrow/error.hpp"
#include "marrow/render.hpp"
#include "render/color.hpp"
#include "render/font.hpp"
#include "render/heat_scale.hpp"
#include "render/image.hpp"

namespace marrow {
namespace {

constexpr int max_scale = 64;

void check_scale(int scale, const char* where) {
  if (scale < 1 || scale > max_scale) {
    throw Error(ErrorCode::bad_request, where, fmt::format("a scale of {}: give 1 to {}", scale, max_scale));
  }
}

bool dot_at(const Glyph& letter, int column, int row) {
  if (column < 0 || column >= 5 || row < 0 || row >= 7) return false;
  return ((letter[std::size_t(row)] >> (4 - column)) & 1) != 0;
}

double segment_distance(double x, double y, double dx, double dy) {
  const double t = std::clamp((x * dx + y * dy) / (dx * dx + dy * dy), 0.0, 1.0);
  return std::hypot(x - t * dx, y - t * dy);
}

/// Distance, in dots, of a point of the cell to the letter's strokes: segments between dots adjacent in a row or
/// column, or on a diagonal if no such path joins them.
double stroke_distance(const Glyph& letter, double x, double y) {
  double nearest = glyph_rows;
  const int column = int(std::floor(x)), row = int(std::floor(y));
  for (int r = row - 2; r <= row + 1; ++r) {
    for (int c = column - 2; c <= column + 2; ++c) {
      if (!dot_at(letter, c, r)) continue;
      const double px = x - (c + 0.5), py = y - (r + 0.5);
      nearest = std::min(nearest, std::hypot(px, py));
      const bool right = dot_at(letter, c + 1, r), below = dot_at(letter, c, r + 1), left = dot_at(letter, c - 1, r);
      if (right) nearest = std::min(nearest, segment_distance(px, py, 1, 0));
      if (below) nearest = std::min(nearest, segment_distance(px, py, 0, 1));
      if (!right && !below && dot_at(letter, c + 1, r + 1)) {
        nearest = std::min(nearest, segment_distance(px, py, 1, 1));
      }
      if (!left && !below && dot_at(letter, c - 1, r + 1)) {
        nearest = std::min(nearest, segment_distance(px, py, -1, 1));
      }
    }
  }
  return nearest;
}

/// Share of pixel (x, y) of the scaled cell that the letter covers.
float ink(const Glyph& letter, int x, int y, int scale) {
  if (scale == 1) return dot_at(letter, x, y) ? 1.0F : 0.0F;
  constexpr double half_stroke = 0.5;
  const double distance = stroke_distance(letter, (x + 0.5) / scale, (y + 0.5) / scale) - half_stroke;
  return float(std::clamp(0.5 - distance * scale, 0.0, 1.0));
}

void draw_letter(Image& image, int left, int top, char character, Rgb color, int scale) {
  const Glyph& letter = glyph(character);
  const int lowered = descent(character) * scale;
  for (int y = 0; y < glyph_rows * scale; ++y) {
    for (int x = 0; x < glyph_columns * scale; ++x) {
      blend(image, left + x, top + y, color, ink(letter, x, y - lowered, scale));
    }
  }
}

/// Layout of the legend in pixels: title, bar, numbers.
struct Legend {
  int scale, width, bar_height, left, title, bar, numbers;

  explicit Legend(const Image& image)
      : scale(std::clamp(image.width / 480, 1, max_scale)),
        width(std::min(136 * scale, image.width - 16 * scale)),
        bar_height(8 * scale),
        left(image.width - 8 * scale - width),
        title(image.height - 39 * scale),
        bar(title + 11 * scale),
        numbers(bar + bar_height + 3 * scale) {}
};

void draw_bar(Image& image, const Legend& legend, Rgb frame) {
  const HeatScale colors;
  for (int x = -1; x <= legend.width; ++x) {
    const Rgb color = colors.at(double(x) / std::max(1, legend.width - 1));
    for (int y = -1; y <= legend.bar_height; ++y) {
      const bool border = x < 0 || y < 0 || x == legend.width || y == legend.bar_height;
      blend(image, legend.left + x, legend.bar + y, border ? frame : color, border ? 0.6F : 1.0F);
    }
  }
}

}  // namespace

int label_width(const std::string& text, int scale) {
  check_scale(scale, "label_width");
  constexpr std::size_t most = 1'000'000;
  return int(std::min(text.size(), most)) * glyph_columns * scale;
}

void draw_label(Image& image, int x, int y, const std::string& text, Rgb color, int scale) {
  check_image(image, "draw_label");
  check_scale(scale, "draw_label");
  const std::int64_t advance = std::int64_t(glyph_columns) * scale;
  std::int64_t left = x;
  for (const char c : text) {
    if (left >= image.width) break;
    if (left > -advance) draw_letter(image, int(left), y, c, color, scale);
    left += advance;
  }
}

void draw_heat_legend(Image& image, float top, const std::string& unit) {
  constexpr const char* where = "draw_heat_legend";
  check_image(image, where);
  if (!std::isfinite(top) || top < 0) {
    throw Error(ErrorCode::bad_request, where, fmt::format("top is {}: give the value drawn red, 0 or more", top));
  }
  const Legend legend(image);
  if (legend.width < 1) return;
  // Dark on light pictures, light on dark ones.
  const bool light = to_lab(image.pixels.back()).x() > 0.6;
  const Rgb color = light ? Rgb{48, 48, 52} : Rgb{235, 235, 235};
  draw_bar(image, legend, color);

  const auto fitting = std::size_t(legend.width / (glyph_columns * legend.scale));
  draw_label(image, legend.left, legend.title, unit.substr(0, fitting), color, legend.scale);

  const std::string middle = fmt::format("{:.3g}", top / 2), last = fmt::format("{:.3g}", top);
  // A cell ends with an empty column: omit it in right-aligned text.
  const auto width = [&](const std::string& s) { return label_width(s, legend.scale) - legend.scale; };
  const int last_left = legend.left + legend.width - width(last);
  const int middle_left = legend.left + (legend.width - width(middle)) / 2;
  const int space = glyph_columns * legend.scale;
  if (last_left < legend.left + 2 * space) return;
  draw_label(image, legend.left, legend.numbers, "0", color, legend.scale);
  draw_label(image, last_left, legend.numbers, last, color, legend.scale);
  if (last_left >= middle_left + width(middle) + space / 2 && middle_left >= legend.left + 2 * space) {
    draw_label(image, middle_left, legend.numbers, middle, color, legend.scale);
  }
}

}  // namespace marrow
