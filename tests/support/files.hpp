#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace marrow::testing {

/// A folder of its own for the running test, empty at first, kept afterwards so that a person can look at what was
/// written.
inline std::filesystem::path output_folder() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  const auto folder =
      std::filesystem::path(MARROW_TEST_OUTPUT) / (std::string(info->test_suite_name()) + "." + info->name());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

/// The folder of real data beside the repository, or an empty path where it is missing.
inline std::filesystem::path shared_folder() {
  return std::filesystem::is_directory(MARROW_SHARED_DIR "/data") ? std::filesystem::path(MARROW_SHARED_DIR)
                                                                  : std::filesystem::path();
}

inline void write_bytes(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

inline std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace marrow::testing

/// For tests on real data: says so where it is missing.
#define MARROW_NEEDS_SHARED(variable)                                      \
  const std::filesystem::path variable = marrow::testing::shared_folder(); \
  if (variable.empty()) GTEST_SKIP() << "needs ../shared, which is not on this machine"
