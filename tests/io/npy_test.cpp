#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/random.hpp"
#include "marrow/io.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"
#include "support/fuzz.hpp"

namespace marrow {
namespace {

using testing::expect_error;
using testing::output_folder;
using testing::write_bytes;

/// A file as NumPy's format description has it.
std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += char(version);
  bytes += '\0';
  const std::string header = dictionary + " \n";
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k) bytes += char(header.size() >> (8 * k) & 255);
  return bytes + header + data;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string dictionary(const std::string& type, bool fortran, const std::string& shape) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, fortran ? "True" : "False", shape);
}

Matrix read_bytes_as_npy(const std::string& bytes) {
  const auto file = std::filesystem::path(MARROW_TEST_OUTPUT) / "npy_sample.npy";
  std::filesystem::create_directories(file.parent_path());
  testing::replace_file(file, bytes);
  return read_npy(file);
}

const Matrix sample_matrix{2, 3, {1, -2, 3, 4.5, 5, 0.25}};

TEST(Npy, ReadsFloatsOfAllSizesInBothOrders) {
  const std::vector<float> single = {1, -2, 3, 4.5, 5, 0.25};
  const std::vector<double> by_column = {1, 4.5, -2, 5, 3, 0.25};
  const std::vector<std::uint16_t> half = {0x3C00, 0xC000, 0x4200, 0x4480, 0x4500, 0x3400};
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(read_bytes_as_npy(npy(dictionary("<f4", false, "(2, 3)"), raw(single), version)), sample_matrix);
    EXPECT_EQ(read_bytes_as_npy(npy(dictionary("<f8", true, "(2, 3)"), raw(by_column), version)), sample_matrix);
    EXPECT_EQ(read_bytes_as_npy(npy(dictionary("<f2", false, "(2,3,)"), raw(half), version)), sample_matrix);
  }
  // Other spacing and order of the names are the same dictionary.
  EXPECT_EQ(read_bytes_as_npy(npy("{\"shape\":( 2,3 ),\"descr\":\"<f4\",\"fortran_order\":False}", raw(single))),
            sample_matrix);
}

TEST(Npy, WhatIsWrittenIsReadAgain) {
  const auto file = output_folder() / "m.npy";
  write_npy(sample_matrix, file);
  EXPECT_EQ(read_npy(file), sample_matrix);
  const std::string bytes = testing::read_bytes(file);
  EXPECT_EQ((bytes.size() - 24) % 64, 0U) << "numbers begin at a multiple of 64";
  EXPECT_EQ(bytes[bytes.size() - 25], '\n');
  expect_error(ErrorCode::bad_input, {"write_npy"}, [&] { write_npy({2, 2, {1, 2, 3}}, file); });
  EXPECT_EQ(read_npy(file), sample_matrix);
}

TEST(Npy, SaysWhatIsWrong) {
  const std::string data = raw(sample_matrix.values);
  const auto refuse = [&](const std::string& bytes, std::initializer_list<std::string> parts) {
    expect_error(ErrorCode::bad_file, parts, [&] { read_bytes_as_npy(bytes); });
  };
  refuse("", {"npy_sample.npy", "not a NumPy file"});
  refuse("P5 not this kind", {"not a NumPy file"});
  refuse(npy(dictionary("<f4", false, "(2, 3)"), data, 4), {"version 4"});
  refuse(npy(dictionary("<i4", false, "(2, 3)"), data), {"<i4", "astype"});
  refuse(npy(dictionary(">f4", false, "(2, 3)"), data), {">f4", "astype"});
  refuse(npy(dictionary("<f4", false, "(6,)"), data), {"1 dimensions", "a row per vertex"});
  refuse(npy(dictionary("<f4", false, "(1, 2, 3)"), data), {"3 dimensions"});
  refuse(npy(dictionary("<f4", false, "(2, 4)"), data), {"2 x 4", "cut off"});
  refuse(npy(dictionary("<f4", false, "(2, 3)"), data + "x"), {"2 x 3"});
  refuse(npy(dictionary("<f4", false, "(0, 3)"), ""), {"empty"});
  refuse(npy(dictionary("<f4", false, "(-2, 3)"), data), {"header"});
  refuse(npy("{'descr': '<f4'}", data), {"header"});
  refuse(npy(dictionary("<f4", false, "(2, 3)") + "}", data), {"header"});
  refuse(npy("{'shape': (2, 3), 'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}", data), {"header"});
  std::vector<float> infinite = sample_matrix.values;
  infinite[4] = std::numeric_limits<float>::infinity();
  refuse(npy(dictionary("<f4", false, "(2, 3)"), raw(infinite)), {"row 1, column 1", "finite"});
  refuse(npy(dictionary("<f8", true, "(3, 1)"), raw<double>({1, 2, 1e300})), {"row 2, column 0", "finite"});
  expect_error(ErrorCode::bad_file, {"missing.npy"}, [] { read_npy("missing.npy"); });
}

TEST(Npy, SizesAreCheckedBeforeMemoryIsTaken) {
  const std::string data = raw(sample_matrix.values);
  for (const char* shape : {"(1000000000000, 1000000000000)", "(18446744073709551615, 2)", "(9223372036854775808, 2)",
                            "(4611686018427387904, 4)", "(99999999999999999999999, 1)"}) {
    expect_error(ErrorCode::bad_file, {}, [&] { read_bytes_as_npy(npy(dictionary("<f4", false, shape), data)); });
  }
  std::string long_header = npy(dictionary("<f4", false, "(2, 3)"), data, 2);
  long_header[11] = '\x7F';
  expect_error(ErrorCode::bad_file, {"cut off"}, [&] { read_bytes_as_npy(long_header); });
}

TEST(Npy, EveryTruncationIsRefused) {
  const std::string sample = npy(dictionary("<f8", false, "(2, 2)"), raw<double>({1, 2, 3, 4}));
  for (std::size_t length = 0; length < sample.size(); ++length) {
    expect_error(ErrorCode::bad_file, {}, [&] { read_bytes_as_npy(sample.substr(0, length)); });
  }
}

TEST(Npy, DamageNeverGetsThrough) {
  const std::string sample = npy(dictionary("<f4", false, "(2, 3)"), raw(sample_matrix.values));
  Random random(4);
  std::size_t refused = 0;
  for (int k = 0; k < 2000; ++k) {
    std::string bytes = sample;
    for (std::uint64_t flips = 1 + random.index(4); flips > 0; --flips) {
      bytes[random.index(bytes.size())] = char(random.bits());
    }
    try {
      const Matrix m = read_bytes_as_npy(bytes);
      ASSERT_EQ(m.values.size(), m.rows * m.columns);
      for (const float v : m.values) ASSERT_TRUE(std::isfinite(v));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_file);
      ++refused;
    }
  }
  EXPECT_GT(refused, 500U);
}

}  // namespace
}  // namespace marrow
