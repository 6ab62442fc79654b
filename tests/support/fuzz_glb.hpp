#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/random.hpp"
#include "io/glb.hpp"
#include "marrow/error.hpp"
#include "support/files.hpp"

namespace marrow::testing {

/// Reads `bytes` as a GLB: true when it gives something valid, false on an Error of the file. All else is a failure.
inline bool survives(const std::string& bytes, const std::filesystem::path& file) {
  std::filesystem::remove(file);  // some file systems wait for the disk when a file is overwritten
  write_bytes(file, bytes);
  try {
    std::visit([](const auto& content) { validate(content); }, read_glb(file, {}, {}));
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_file) << error.what();
    EXPECT_NE(error.what(), std::string());
    return false;
  }
}

/// `bytes` with up to three of the bytes [begin, end) replaced.
inline std::string damaged(std::string bytes, std::size_t begin, std::size_t end, Random& random) {
  for (std::uint64_t n = 1 + random.index(3); n > 0; --n) {
    bytes[begin + random.index(end - begin)] = char(random.index(256));
  }
  return bytes;
}

/// `bytes` with a digit of [begin, end) replaced by another: text that still parses, but says something else.
inline std::string misstated(std::string bytes, std::size_t begin, std::size_t end, Random& random) {
  for (;;) {
    char& c = bytes[begin + random.index(end - begin)];
    if (c < '0' || c > '9') continue;
    c = char('0' + random.index(10));
    return bytes;
  }
}

}  // namespace marrow::testing
