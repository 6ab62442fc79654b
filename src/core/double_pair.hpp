#pragma once

#include <bit>
#include <cstdint>

namespace marrow {

/// A number of about 106 bits: the unevaluated sum of two doubles, low at most half a unit in the last place of high.
/// Dekker, "A floating-point technique for extending the available precision" (1971). Nothing but + - * / on doubles,
/// so it needs a compiler that neither fuses nor reorders them.
struct DoublePair {
  double high = 0, low = 0;
};

/// Exact, for |a| >= |b| or a = 0.
constexpr DoublePair quick_sum(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}

/// Exact.
constexpr DoublePair exact_sum(double a, double b) {
  const double high = a + b, part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

/// The leading 26 bits. Overflows from 2^996 on.
constexpr double leading_half(double a) {
  const double scaled = 0x8000001p0 * a;
  return scaled - (scaled - a);
}

/// Exact, where nothing overflows or underflows.
constexpr DoublePair exact_product(double a, double b) {
  const double high = a * b;
  const double a1 = leading_half(a), a2 = a - a1, b1 = leading_half(b), b2 = b - b1;
  return {high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
}

constexpr DoublePair operator-(DoublePair a) {
  return {-a.high, -a.low};
}

constexpr DoublePair operator+(DoublePair a, DoublePair b) {
  const DoublePair s = exact_sum(a.high, b.high);
  return quick_sum(s.high, s.low + (a.low + b.low));
}

constexpr DoublePair operator-(DoublePair a, DoublePair b) {
  return a + -b;
}

constexpr DoublePair operator*(DoublePair a, DoublePair b) {
  const DoublePair p = exact_product(a.high, b.high);
  return quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

constexpr DoublePair operator/(DoublePair a, DoublePair b) {
  const double q = a.high / b.high;
  const DoublePair back = exact_product(q, b.high);
  return quick_sum(q, (((a.high - back.high) - back.low) + (a.low - q * b.low)) / b.high);
}

/// a with its last `bits` bits cleared, so that products with small integers are exact.
constexpr double without_last_bits(double a, int bits) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) >> bits << bits);
}

}  // namespace marrow
