#include "core/libm.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <sstream>

#include "core/random.hpp"

namespace marrow::libm {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN(),
                 pi = 3.141592653589793, least = 5e-324, largest = std::numeric_limits<double>::max();

using Function = std::function<double(double, double)>;

/// Functions of one argument ignore the second.
const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> table{
      {"exp", [](double x, double) { return libm::exp(x); }},
      {"log", [](double x, double) { return libm::log(x); }},
      {"pow", libm::pow},
      {"sin", [](double x, double) { return libm::sin(x); }},
      {"cos", [](double x, double) { return libm::cos(x); }},
      {"tan", [](double x, double) { return libm::tan(x); }},
      {"acos", [](double x, double) { return libm::acos(x); }},
      {"atan2", libm::atan2},
      {"cbrt", [](double x, double) { return libm::cbrt(x); }},
      {"hypot", [](double x, double y) { return libm::hypot(x, y); }},
  };
  return table;
}

/// Of the last place of x.
double unit(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::max(least, std::ldexp(1, exponent - 53));
}

// See tests/tools/libm_table.py.
TEST(Libm, IsWithinOneUnitOfATableWithMoreDigits) {
  std::ifstream file(MARROW_TEST_DATA "/libm.csv");
  std::map<std::string, double> worst;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string name, x, y, value, rest;
    for (std::string* field : {&name, &x, &y, &value, &rest}) std::getline(fields, *field, ',');
    const double got = functions().at(name)(std::strtod(x.c_str(), nullptr), std::strtod(y.c_str(), nullptr));
    const double nearest = std::strtod(value.c_str(), nullptr);
    const double off = std::abs((got - nearest) / unit(nearest) - std::strtod(rest.c_str(), nullptr));
    EXPECT_LE(off, 1) << line << ": " << std::hexfloat << got;
    worst[name] = std::max(worst[name], off);
  }
  EXPECT_EQ(worst.size(), functions().size()) << "a function has no lines";
  for (const auto& [name, off] : worst) RecordProperty(name, std::to_string(off));
}

struct Special {
  const char* name;
  double x, y, value;
};

// What C says in annex F.
TEST(Libm, SpecialValuesAreThoseOfC) {
  const Special table[] = {
      {"exp", 0, 0, 1},
      {"exp", -0.0, 0, 1},
      {"exp", inf, 0, inf},
      {"exp", -inf, 0, 0},
      {"exp", 710, 0, inf},
      {"exp", -746, 0, 0},
      {"exp", nan, 0, nan},
      {"exp", least, 0, 1},
      {"log", 1, 0, 0},
      {"log", 0, 0, -inf},
      {"log", -0.0, 0, -inf},
      {"log", -1, 0, nan},
      {"log", inf, 0, inf},
      {"log", -inf, 0, nan},
      {"log", nan, 0, nan},
      {"sin", 0, 0, 0},
      {"sin", -0.0, 0, -0.0},
      {"sin", inf, 0, nan},
      {"sin", nan, 0, nan},
      {"sin", -least, 0, -least},
      {"cos", 0, 0, 1},
      {"cos", -0.0, 0, 1},
      {"cos", -inf, 0, nan},
      {"cos", nan, 0, nan},
      {"cos", least, 0, 1},
      {"tan", 0, 0, 0},
      {"tan", -0.0, 0, -0.0},
      {"tan", inf, 0, nan},
      {"tan", nan, 0, nan},
      {"tan", least, 0, least},
      {"acos", 1, 0, 0},
      {"acos", -1, 0, pi},
      {"acos", 0, 0, pi / 2},
      {"acos", 1.5, 0, nan},
      {"acos", -inf, 0, nan},
      {"acos", nan, 0, nan},
      {"cbrt", 0, 0, 0},
      {"cbrt", -0.0, 0, -0.0},
      {"cbrt", inf, 0, inf},
      {"cbrt", -inf, 0, -inf},
      {"cbrt", nan, 0, nan},
      {"cbrt", -27, 0, -3},
      {"cbrt", 0.125, 0, 0.5},
      {"atan2", 0, 1, 0},
      {"atan2", -0.0, 1, -0.0},
      {"atan2", 0, 0, 0},
      {"atan2", -0.0, 0, -0.0},
      {"atan2", 0, -0.0, pi},
      {"atan2", -0.0, -1, -pi},
      {"atan2", 1, 0, pi / 2},
      {"atan2", -1, -0.0, -pi / 2},
      {"atan2", inf, 1, pi / 2},
      {"atan2", 1, inf, 0},
      {"atan2", -1, inf, -0.0},
      {"atan2", 1, -inf, pi},
      {"atan2", inf, inf, pi / 4},
      {"atan2", -inf, -inf, -3 * pi / 4},
      {"atan2", nan, 1, nan},
      {"atan2", 0, nan, nan},
      {"atan2", 2, 2, pi / 4},
      {"atan2", least, -least, 3 * pi / 4},
      {"atan2", least, 2, 0},
      {"hypot", 0, -0.0, 0},
      {"hypot", inf, nan, inf},
      {"hypot", nan, -inf, inf},
      {"hypot", nan, 1, nan},
      {"hypot", 1, nan, nan},
      {"hypot", least, 0, least},
      {"hypot", largest, largest, inf},
      {"hypot", -3, 4, 5},
      {"pow", 0, 0, 1},
      {"pow", nan, 0, 1},
      {"pow", 1, nan, 1},
      {"pow", 1, inf, 1},
      {"pow", 0, 2, 0},
      {"pow", 0, -2, inf},
      {"pow", inf, 0.5, inf},
      {"pow", inf, -0.5, 0},
      {"pow", 0.5, inf, 0},
      {"pow", 0.5, -inf, inf},
      {"pow", 2, inf, inf},
      {"pow", 2, -inf, 0},
      {"pow", 2, nan, nan},
      {"pow", nan, 2, nan},
      {"pow", 2, 1024, inf},
      {"pow", 2, -1076, 0},
      {"pow", 2, -1074, least},
      {"pow", 9, 0.5, 3},
      {"pow", -2, 0.5, nan},
      {"pow", 3, 4, 81},
  };
  for (const auto& [name, x, y, value] : table) {
    const double got = functions().at(name)(x, y);
    const bool same =
        std::isnan(value) ? std::isnan(got) : std::bit_cast<std::uint64_t>(got) == std::bit_cast<std::uint64_t>(value);
    EXPECT_TRUE(same) << name << " of " << x << ", " << y << " is " << got << ", not " << value;
  }
}

TEST(Libm, LengthsInSpaceAreWithinOneUnit) {
  EXPECT_EQ(libm::hypot(2, -3, 6), 7);
  EXPECT_EQ(libm::hypot(0, 0, -4), 4);
  EXPECT_EQ(libm::hypot(2e300, 3e300, 6e300), 7e300);
  EXPECT_EQ(libm::hypot(2e-310, 3e-310, 6e-310), 7e-310);
  EXPECT_EQ(libm::hypot(1, nan, -inf), inf);
}

/// FNV-1a over the bits of a function's values at arguments of all kinds.
std::uint64_t fingerprint(const Function& function) {
  Random random(20);
  std::uint64_t hash = 0xCBF29CE484222325;
  for (int k = 0; k < 20000; ++k) {
    double x = std::bit_cast<double>(random.bits()), y = std::bit_cast<double>(random.bits());
    if (k % 4 != 0) x = random.uniform(-4, 4);
    if (k % 4 > 1) y = random.uniform(-9, 9);
    if (k % 8 == 7) x = std::abs(x) / 4;
    const double value = function(x, y);
    // A NaN's sign and payload are left open.
    hash = (hash ^ (std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value))) * 0x100000001B3;
  }
  return hash;
}

// The same for every compiler, C library and processor. Also run with FMA and AVX2 masked: see tests/CMakeLists.txt.
TEST(Libm, BitsAreTheSameOnEveryMachine) {
  const std::map<std::string, std::uint64_t> expected{
      {"acos", 0xBDA316EFF1B19573}, {"atan2", 0xEA363AAE646BCC2B}, {"cbrt", 0xC4CF142FE621B345},
      {"cos", 0x03BEF963239E9FDA},  {"exp", 0xCBAFE2810E03E20A},   {"hypot", 0xE222E0C031C34DA6},
      {"log", 0xE70EDC24032C73D3},  {"pow", 0x768BA7BC5D282D98},   {"sin", 0x9F1F9FA58FD31324},
      {"tan", 0x1AD8ACBE74E11E07},
  };
  for (const auto& [name, function] : functions()) {
    const std::uint64_t hash = fingerprint(function);
    EXPECT_EQ(hash, expected.at(name)) << name << " gives other bits: " << std::hex << hash;
  }
}

}  // namespace
}  // namespace marrow::libm
