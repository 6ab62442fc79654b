// Circular functions. Turns are taken off with as many digits of 2 / pi as the argument needs: Payne and Hanek, "Radian
// reduction for trigonometric functions" (1983).
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/double_pair.hpp"
#include "core/libm.hpp"

namespace marrow::libm {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr DoublePair half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr DoublePair whole_pi{2 * half_pi.high, 2 * half_pi.low};
/// Below this, sin(x) and tan(x) round to x, and cos(x) to 1.
constexpr double tiny_angle = 0x1p-27;

struct Angle {
  unsigned quadrant;  ///< of four, in turns of pi / 2
  DoublePair rest;    ///< within pi / 4 of 0
};

/// Bits of 2 / pi behind the point, after 64 zeros.
constexpr std::array<std::uint64_t, 21> two_over_pi{0,
                                                    0xA2F9836E4E441529,
                                                    0xFC2757D1F534DDC0,
                                                    0xDB6295993C439041,
                                                    0xFE5163ABDEBBC561,
                                                    0xB7246E3A424DD2E0,
                                                    0x06492EEA09D1921C,
                                                    0xFE1DEB1CB129A73E,
                                                    0xE88235F52EBB4484,
                                                    0xE99C7026B45F7E41,
                                                    0x3991D639835339F4,
                                                    0x9C845F8BBDF9283B,
                                                    0x1FF897FFDE05980F,
                                                    0xEF2F118B5A0A6D1F,
                                                    0x6D367ECF27CB09B7,
                                                    0x4F463F669E5FEA2D,
                                                    0x7527BAC7EBE5F17B,
                                                    0x3D0739F78A5292EA,
                                                    0x6BFB5FB11F8D5D08,
                                                    0x56033046FC7B6BAB,
                                                    0xF0CFBC209AF4361D};

using Wide = unsigned __int128;

/// Bits of 2 / pi from the one of weight 2^-(first + 1) on.
std::uint64_t bits_from(int first) {
  const int at = first + 64, shift = at % 64;
  const auto word = std::size_t(at / 64);
  return shift == 0 ? two_over_pi[word] : two_over_pi[word] << shift | two_over_pi[word + 1] >> (64 - shift);
}

/// The fraction f = value / 2^128 of a quarter turn, as an angle.
DoublePair as_angle(Wide value) {
  if (value == 0) return {};
  const auto top = std::uint64_t(value >> 64);
  const int zeros = top != 0 ? std::countl_zero(top) : 64 + std::countl_zero(std::uint64_t(value));
  value <<= zeros;
  const DoublePair fraction{double(std::uint64_t(value >> 75)) * 0x1p-53,
                            double(std::uint64_t(value >> 22) << 11 >> 11) * 0x1p-106};
  const double scale = std::bit_cast<double>(std::uint64_t(1023 - zeros) << 52);
  const DoublePair angle = fraction * half_pi;
  return {scale * angle.high, scale * angle.low};
}

/// For finite x.
Angle reduced(double x) {
  if (std::abs(x) <= std::numbers::pi / 4) return {0, {x, 0}};
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = int(bits >> 52 & 0x7FF) - 1075;
  const std::uint64_t m = (bits & 0xFFFFFFFFFFFFF) | 0x10000000000000;  // |x| = m 2^exponent
  // m times the 192 bits of 2 / pi whose product counts modulo 4: the top two bits are the quadrant.
  const int first = exponent - 2;
  const Wide low = Wide{m} * bits_from(first + 128), middle = Wide{m} * bits_from(first + 64) + (low >> 64);
  const std::uint64_t high = m * bits_from(first) + std::uint64_t(middle >> 64);
  const Wide product = Wide{high} << 64 | std::uint64_t(middle);
  Wide fraction = product << 2 | (std::uint64_t(low) >> 62);
  auto quadrant = unsigned(high >> 62);
  const bool above_half = fraction >> 127 != 0;
  if (above_half) {
    ++quadrant;
    fraction = -fraction;
  }
  const DoublePair rest = as_angle(fraction);
  const bool negative = x < 0;
  return {(negative ? 0 - quadrant : quadrant) & 3, above_half != negative ? -rest : rest};
}

/// Both for |a| <= pi / 4, to about 2^-56.
DoublePair sine(DoublePair a) {
  const double z = a.high * a.high;
  constexpr double c3 = -1.0 / 6, c5 = c3 / -20, c7 = c5 / -42, c9 = c7 / -72, c11 = c9 / -110, c13 = c11 / -156,
                   c15 = c13 / -210, c17 = c15 / -272;
  const double tail = z * (c5 + z * (c7 + z * (c9 + z * (c11 + z * (c13 + z * (c15 + z * c17))))));
  return quick_sum(a.high, a.high * z * (c3 + tail) + a.low * (1 - 0.5 * z));
}

DoublePair cosine(DoublePair a) {
  const DoublePair square = exact_product(a.high, a.high);
  const double z = square.high;
  constexpr double c4 = 1.0 / 24, c6 = c4 / -30, c8 = c6 / -56, c10 = c8 / -90, c12 = c10 / -132, c14 = c12 / -182,
                   c16 = c14 / -240;
  const double tail = z * z * (c4 + z * (c6 + z * (c8 + z * (c10 + z * (c12 + z * (c14 + z * c16))))));
  const DoublePair most = quick_sum(1, -0.5 * z);
  return quick_sum(most.high, most.low + (tail - 0.5 * square.low - a.high * a.low));
}

// ---- atan(y / x) = atan(i / 16) + atan((16 y - i x) / (16 x + i y))

constexpr int arc_steps = 16;

constexpr DoublePair small_arc(DoublePair x) {
  const DoublePair squared = x * x;
  DoublePair sum{}, power = x;
  for (int n = 1; n <= 31; n += 2) {
    sum = sum + power / DoublePair{double(n % 4 == 1 ? n : -n)};
    power = power * squared;
  }
  return sum;
}

/// atan(i / 16), each from the one before.
constexpr std::array<DoublePair, arc_steps + 1> arcs = [] {
  std::array<DoublePair, arc_steps + 1> table{};
  for (std::size_t i = 1; i < table.size(); ++i) {
    table[i] = table[i - 1] + small_arc(DoublePair{16} / DoublePair{double(256 + i * (i - 1))});
  }
  return table;
}();

/// For 0 <= y <= x, both far from where products overflow or underflow.
DoublePair arc(DoublePair y, DoublePair x) {
  const auto step = int(std::floor(y.high / x.high * arc_steps + 0.5));
  const DoublePair i{double(step)}, one{arc_steps};
  const DoublePair t = (one * y - i * x) / (one * x + i * y);
  const double z = t.high * t.high;
  const double tail = z * (1.0 / 3 - z * (1.0 / 5 - z * (1.0 / 7 - z * (1.0 / 9 - z * (1.0 / 11 - z * (1.0 / 13))))));
  return arcs[std::size_t(step)] + quick_sum(t.high, t.low - t.high * tail);
}

/// Angle of a point, 0 to pi; y >= 0.
double angle_of(DoublePair y, DoublePair x) {
  const DoublePair across = x.high < 0 ? -x : x;
  const DoublePair acute = y.high <= across.high ? arc(y, across) : half_pi - arc(across, y);
  return x.high < 0 ? (whole_pi - acute).high : acute.high;
}

double times_sign(double angle, double sign) {
  return std::signbit(sign) ? -angle : angle;
}

}  // namespace

double sin(double x) {
  if (!std::isfinite(x)) return not_a_number;
  if (std::abs(x) < tiny_angle) return x;
  const Angle angle = reduced(x);
  const double value = (angle.quadrant % 2 == 0 ? sine(angle.rest) : cosine(angle.rest)).high;
  return angle.quadrant < 2 ? value : -value;
}

double cos(double x) {
  if (!std::isfinite(x)) return not_a_number;
  if (std::abs(x) < tiny_angle) return 1;
  const Angle angle = reduced(x);
  const double value = (angle.quadrant % 2 == 0 ? cosine(angle.rest) : sine(angle.rest)).high;
  return angle.quadrant == 0 || angle.quadrant == 3 ? value : -value;
}

double tan(double x) {
  if (!std::isfinite(x)) return not_a_number;
  if (std::abs(x) < tiny_angle) return x;
  const Angle angle = reduced(x);
  const DoublePair s = sine(angle.rest), c = cosine(angle.rest);
  return angle.quadrant % 2 == 0 ? (s / c).high : -(c / s).high;
}

double acos(double x) {
  if (!(std::abs(x) <= 1)) return not_a_number;
  const DoublePair square = exact_sum(1, -x) * exact_sum(1, x);
  if (square.high == 0) return x > 0 ? 0 : whole_pi.high;
  const double root = std::sqrt(square.high);
  const DoublePair back = exact_product(root, root);
  return angle_of(quick_sum(root, ((square.high - back.high) - back.low + square.low) / (2 * root)), {x, 0});
}

double atan2(double y, double x) {
  if (x != x || y != y) return not_a_number;
  if (y == 0) return std::signbit(x) ? times_sign(whole_pi.high, y) : y;
  if (std::isinf(x) && std::isinf(y)) return times_sign((x > 0 ? 0.5 : 1.5) * half_pi.high, y);
  if (x == 0 || std::isinf(y)) return times_sign(half_pi.high, y);
  if (std::isinf(x)) return times_sign(x > 0 ? 0 : whole_pi.high, y);
  int y_exponent = 0, x_exponent = 0;
  const double a = std::frexp(std::abs(y), &y_exponent), b = std::frexp(x, &x_exponent);
  // Beyond 2^60 the smaller of the two no longer counts beside pi or pi / 2.
  const int difference = y_exponent - x_exponent;
  if (difference > 60) return times_sign(half_pi.high, y);
  if (difference < -60) return x > 0 ? y / x : times_sign(whole_pi.high, y);
  return times_sign(angle_of({std::ldexp(a, difference), 0}, {b, 0}), y);
}

}  // namespace marrow::libm
