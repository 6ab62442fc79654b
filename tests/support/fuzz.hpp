#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <string>
#include <variant>

#include "core/random.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "support/files.hpp"

/// Damaged files: whatever the bytes, a reader must end in a valid result or in a marrow::Error.
namespace marrow::testing {

/// How the damaged samples ended; a test that wants to be sure of both kinds looks here.
struct FuzzCounts {
  std::size_t read = 0;
  std::size_t refused = 0;
};

template <class Result>
void validate_result(const Result& result) {
  validate(result);
}
inline void validate_result(const Animated& result) {
  std::visit([](const auto& r) { validate(r); }, result);
}

/// For readers that need a file. A new file each time: to cut an old one to zero makes some file systems wait for the
/// disk.
inline void replace_file(const std::filesystem::path& file, const std::string& bytes) {
  std::filesystem::remove(file);
  write_bytes(file, bytes);
}

/// `read` takes the damaged bytes (std::string) and returns a Mesh, Sequence, Rig or Animated, or throws.
template <class Read>
void try_bytes(const std::string& bytes, Read&& read, const std::string& what, FuzzCounts& counts) {
  try {
    const auto result = read(bytes);
    try {
      validate_result(result);
      ++counts.read;
    } catch (const std::exception& error) {
      ADD_FAILURE() << what << " was read, but the result is not valid: " << error.what();
    }
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty()) << what;
    ++counts.refused;
  } catch (const std::exception& error) {
    ADD_FAILURE() << what << " gave an exception of another type: " << error.what();
  }
}

/// Every beginning of the sample, shorter than itself; with `step` > 1 only each step-th length.
template <class Read>
FuzzCounts try_truncations(const std::string& sample, Read&& read, std::size_t step = 1) {
  FuzzCounts counts;
  for (std::size_t length = 0; length < sample.size(); length += step) {
    try_bytes(sample.substr(0, length), read, fmt::format("the sample cut to {} bytes", length), counts);
  }
  return counts;
}

/// `count` copies of the sample with one to four bytes changed at random.
template <class Read>
FuzzCounts try_flips(const std::string& sample, Read&& read, std::size_t count = 1000, std::uint64_t seed = 1) {
  FuzzCounts counts;
  Random random(seed);
  for (std::size_t k = 0; k < count; ++k) {
    std::string bytes = sample;
    std::string what = "the sample with changed bytes";
    for (std::uint64_t flips = 1 + random.index(4); flips > 0; --flips) {
      const std::size_t place = random.index(bytes.size());
      bytes[place] = char(random.bits());
      what += fmt::format(" {}", place);
    }
    try_bytes(bytes, read, what, counts);
  }
  return counts;
}

}  // namespace marrow::testing
