// exp, log and pow: the argument is brought near to 0 by a table, as in Tang, "Table-driven implementation of the
// exponential function" (1989) and "... of the logarithm function" (1990). The compiler computes the tables.
#include <array>
#include <cmath>
#include <limits>

#include "core/double_pair.hpp"
#include "core/libm.hpp"

namespace marrow::libm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr DoublePair ln2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

// ---- exp(x) = 2^n 2^(j / 32) exp(r), |r| <= ln 2 / 64

constexpr int exp_steps = 32;
// exp(x) is infinite above, and 0 below.
constexpr double exp_overflow = 0x1.62e42fefa39efp+9, exp_underflow = -0x1.74910d52d3051p+9;

constexpr std::array<DoublePair, exp_steps> powers_of_two = [] {
  std::array<DoublePair, exp_steps> table;
  for (int j = 0; j < exp_steps; ++j) {
    const DoublePair x = ln2 * DoublePair{double(j) / exp_steps};
    DoublePair sum{1}, term{1};
    for (int n = 1; n <= 28; ++n) {
      term = term * x / DoublePair{double(n)};
      sum = sum + term;
    }
    table[std::size_t(j)] = sum;
  }
  return table;
}();

/// Multiplied by whole numbers up to 2^16 without rounding.
constexpr double step_high = without_last_bits(ln2.high / exp_steps, 17);
constexpr double step_low = (ln2.high / exp_steps - step_high) + ln2.low / exp_steps;

/// 2^n for a normal result.
double power_of_two(std::int64_t n) {
  return std::bit_cast<double>(std::uint64_t(n + 1023) << 52);
}

/// 2^n y where doubles end in steps of 2^-1074, rounded once; y is 1 to 2.
double subnormal(DoublePair y, std::int64_t n) {
  const double shift = 0x1p52 * power_of_two(-1074 - n);
  const DoublePair sum = quick_sum(shift, y.high);
  return (sum.high + (sum.low + y.low) - shift) * power_of_two(n + 64) * 0x1p-64;
}

/// exp(x + low); `low` is small beside x.
double exp_of(double x, double low) {
  if (!(x <= exp_overflow)) return x > 0 ? infinity : x;
  if (x < exp_underflow) return 0;
  constexpr double steps_per_one = exp_steps / ln2.high, shift = 0x1.8p52;
  const double steps = (x * steps_per_one + shift) - shift;  // the nearest whole number
  const double r = ((x - steps * step_high) - steps * step_low) + low;
  const double p = r + r * r * (1.0 / 2 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720)))));
  const auto k = std::int64_t(steps);
  const DoublePair& table = powers_of_two[std::size_t(k & (exp_steps - 1))];
  const double correction = table.low + table.high * p;
  const std::int64_t n = k >> 5;
  const double y = table.high + correction;
  if (n > 1023) return y * power_of_two(1023) * 2;
  return n >= -1022 ? y * power_of_two(n) : subnormal(quick_sum(table.high, correction), n);
}

// ---- log(x) = k ln 2 - log(inverse) + log(1 + r), with r = m inverse - 1, 45/64 <= m < 90/64 and |r| < 0.0125

constexpr std::uint64_t least_mantissa = 0x3FE6800000000000;  // bits of 45/64
constexpr std::size_t first_step = 45, log_steps = 46;

struct LogStep {
  double inverse;    ///< about 64 / step, in 10 bits, so that its product with 32 bits is exact
  double high, low;  ///< -log(inverse); high in steps of 2^-42, so that it can be added to a multiple of ln 2
};

constexpr double in_steps_of_2_to_minus_42(double x) {
  return (x + 0x1.8p10) - 0x1.8p10;
}

/// 2 atanh((1 - x) / (1 + x)) = -log(x), for x near 1.
constexpr DoublePair minus_log(double x) {
  const DoublePair s = DoublePair{1 - x} / DoublePair{1 + x}, squared = s * s;
  DoublePair sum{}, power = s;
  for (int n = 1; n <= 41; n += 2) {
    sum = sum + power / DoublePair{double(n)};
    power = power * squared;
  }
  return sum + sum;
}

constexpr std::array<LogStep, log_steps> log_table = [] {
  std::array<LogStep, log_steps> table{};
  for (std::size_t i = 0; i < log_steps; ++i) {
    const std::size_t step = first_step + i;
    const std::size_t rounded = (std::size_t(2) * 512 * 64 + step) / (2 * step);
    const double inverse = double(rounded) / 512;
    const DoublePair exact = minus_log(inverse);
    const double high = in_steps_of_2_to_minus_42(exact.high);
    table[i] = {inverse, high, (exact.high - high) + exact.low};
  }
  return table;
}();

constexpr double ln2_high = in_steps_of_2_to_minus_42(ln2.high), ln2_low = (ln2.high - ln2_high) + ln2.low;

struct LogParts {
  double whole, whole_low;  ///< k ln 2 - log(inverse); 0 for x near 1
  DoublePair r;
};

/// For x > 0, finite.
LogParts log_parts(double x) {
  double k = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    k = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = std::int64_t(bits - least_mantissa) >> 52;
  k += double(exponent);
  const auto m = std::bit_cast<double>(bits - (std::uint64_t(exponent) << 52));
  const LogStep& step = log_table[std::size_t(std::floor(m * 64 + 0.5)) - first_step];
  const double m_high = without_last_bits(m, 21);
  const DoublePair r = exact_sum(m_high * step.inverse - 1, (m - m_high) * step.inverse);
  return {k * ln2_high + step.high, k * ln2_low + step.low, r};
}

/// (log(1 + r) - r) / r^2 + 1/2
double log_tail(double r) {
  const double rest = 1.0 / 7 - r * (1.0 / 8 - r * (1.0 / 9 - r * (1.0 / 10)));
  return r * (1.0 / 3 - r * (1.0 / 4 - r * (1.0 / 5 - r * (1.0 / 6 - r * rest))));
}

/// To about 2^-66 of its size; for x > 0, finite.
DoublePair log_pair(double x) {
  const auto [whole, whole_low, r] = log_parts(x);
  const DoublePair half_square = exact_product(r.high, 0.5 * r.high);
  const double rest = r.high * r.high * log_tail(r.high) - half_square.low - r.high * r.low;
  return quick_sum(whole, r.high) + exact_sum(-half_square.high, rest + r.low + whole_low);
}

}  // namespace

double exp(double x) {
  return exp_of(x, 0);
}

double log(double x) {
  if (!(x > 0)) return x == 0 ? -infinity : nan;
  if (x == infinity) return x;
  const auto [whole, whole_low, r] = log_parts(x);
  const DoublePair sum = quick_sum(whole, r.high);
  return sum.high + (sum.low + (r.low + whole_low + r.high * r.high * (log_tail(r.high) - 0.5)));
}

double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (!(x >= 0) || y != y) return nan;
  if (x == 0 || x == infinity || std::abs(y) >= 0x1p64) return (x < 1) == (y > 0) ? 0 : infinity;
  const DoublePair log = log_pair(x), exponent = DoublePair{y} * log;
  return exp_of(exponent.high, exponent.low);
}

}  // namespace marrow::libm
