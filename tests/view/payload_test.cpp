#include "view/payload.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <limits>

#include "core/random.hpp"
#include "support/expect_error.hpp"

namespace marrow::view {
namespace {

/// Base64 by the book, a character at a time.
std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6U | unsigned(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += char(bits >> unsigned(count) & 255U);
  }
  return bytes;
}

std::string inflated(const std::string& base64, std::size_t length) {
  const std::string deflated = from_base64(base64);
  std::string bytes(length + 1, '\0');
  uLongf written = bytes.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &written,
                       reinterpret_cast<const Bytef*>(deflated.data()), deflated.size()),
            Z_OK);
  EXPECT_EQ(written, length);
  bytes.resize(length);
  return bytes;
}

std::uint32_t plane_value(const std::string& bytes, std::size_t start, std::size_t length, std::size_t k, int width) {
  std::uint32_t value = 0;
  for (int b = width - 1; b >= 0; --b) {
    value = value << 8U | static_cast<unsigned char>(bytes[start + std::size_t(b) * length + k]);
  }
  return value;
}

std::int64_t unzigzag(std::uint32_t v) {
  return (v & 1U) != 0 ? -std::int64_t(v >> 1U) - 1 : std::int64_t(v >> 1U);
}

TEST(ViewPayload, FloatsComeBackToTheBit) {
  std::vector<float> values = {0, -0.0F, 1, -1e-38F, 3e38F, std::numeric_limits<float>::denorm_min()};
  Random random(3);
  for (int k = 0; k < 1000; ++k) values.push_back(float(random.uniform(-5, 5)));
  const marrow::Run run;
  Payload payload(run);
  payload.add("values", values);
  const std::string bytes = inflated(payload.finish(), 4 * values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::uint32_t bits = plane_value(bytes, 0, values.size(), k, 4);
    EXPECT_EQ(std::memcmp(&bits, &values[k], 4), 0) << k;
  }
  EXPECT_EQ(payload.sections().dump(), R"([{"name":"values","type":"f32","count":1006,"rows":1,"coding":"plain"}])");
}

TEST(ViewPayload, DifferencesWrapAround) {
  const std::vector<std::uint32_t> values = {7, 5, 0, 4294967295U, 0, 2147483648U, 1};
  const marrow::Run run;
  Payload payload(run);
  payload.add("values", values, Payload::Coding::delta);
  const std::string bytes = inflated(payload.finish(), 4 * values.size());
  std::uint32_t now = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    now += std::uint32_t(unzigzag(plane_value(bytes, 0, values.size(), k, 4)));
    EXPECT_EQ(now, values[k]) << k;
  }
}

TEST(ViewPayload, RowsAreDifferencesToTheRowAbove) {
  Random random(4);
  constexpr std::size_t rows = 5, length = 33;
  std::vector<std::uint16_t> values;
  for (std::size_t k = 0; k < rows * length; ++k) values.push_back(std::uint16_t(random.index(65536)));
  const marrow::Run run;
  Payload payload(run);
  payload.add("first", std::vector<std::uint32_t>{1, 2, 3});
  payload.add("values", values, rows, Payload::Coding::rows);
  const std::string bytes = inflated(payload.finish(), 12 + 2 * values.size());
  std::vector<std::uint16_t> now(length, 0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < length; ++k) {
      const std::uint32_t coded = plane_value(bytes, 12 + 2 * r * length, length, k, 2);
      now[k] = std::uint16_t(now[k] + unzigzag(coded));
      EXPECT_EQ(now[k], values[r * length + k]) << r << " " << k;
    }
  }
}

TEST(ViewPayload, SlowMotionDeflates) {
  constexpr std::size_t rows = 50, length = 3000;
  std::vector<std::uint16_t> values;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < length; ++k) values.push_back(std::uint16_t(k * 7919 + r * (3 + k % 5)));
  }
  const marrow::Run run;
  Payload payload(run);
  payload.add("values", values, rows, Payload::Coding::rows);
  EXPECT_LT(payload.finish().size(), 2 * values.size() / 10);
}

TEST(ViewPayload, EmptyArraysAreFine) {
  const marrow::Run run;
  Payload payload(run);
  payload.add("nothing", std::vector<std::uint32_t>{}, Payload::Coding::delta);
  payload.add("no_rows", std::vector<std::uint16_t>{}, 0, Payload::Coding::rows);
  EXPECT_EQ(inflated(payload.finish(), 0), "");
}

TEST(ViewPayload, StopsWhenAskedTo) {
  std::stop_source stop;
  stop.request_stop();
  const marrow::Run run{.stop = stop.get_token()};
  Payload payload(run);
  testing::expect_error(ErrorCode::stopped, {}, [&] { payload.add("values", std::vector<float>{1}); });
}

}  // namespace
}  // namespace marrow::view
