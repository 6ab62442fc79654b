#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/atomic_file.hpp"
#include "core/check.hpp"
#include "io/input_file.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"

namespace marrow {
namespace {

static_assert(std::endian::native == std::endian::little, "NPY files are read and written as they stand in memory");

constexpr std::string_view npy_magic = "\x93NUMPY";
/// Real headers have about 100 bytes.
constexpr std::size_t longest_header = 65536;

/// What the header says.
struct NpyHeader {
  std::string type;
  bool fortran = false;
  std::size_t rows = 0, columns = 0;
  std::size_t data = 0;  ///< offset of the numbers in the file
};

[[noreturn]] void npy_error(const InputFile& file, const std::string& message) {
  throw Error(ErrorCode::bad_file, file.name(), message);
}

/// Parses the Python dictionary of a header: names to strings, True, False or tuples of whole numbers.
class NpyDictionary {
 public:
  NpyDictionary(std::string_view text, const InputFile& file) : text_(text), file_(file) {}

  NpyHeader parse() {
    NpyHeader header;
    bool type = false, order = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !type) {
        header.type = quoted();
        type = true;
      } else if (key == "fortran_order" && !order) {
        header.fortran = boolean();
        order = true;
      } else if (key == "shape" && !shape) {
        read_shape(header);
        shape = true;
      } else {
        fail();
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!text_.empty() || !type || !order || !shape) fail();
    return header;
  }

 private:
  [[noreturn]] void fail() const {
    npy_error(file_,
              "the header is not a dictionary of descr, fortran_order and shape; save a plain array of numbers with "
              "numpy.save");
  }
  void skip_space() {
    while (!text_.empty() && std::string_view(" \t\n\r").find(text_.front()) != std::string_view::npos) {
      text_.remove_prefix(1);
    }
  }
  bool take(char c) {
    skip_space();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }
  std::string quoted() {
    skip_space();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) fail();
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) fail();
    std::string value(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    fail();
  }
  std::optional<std::size_t> number() {
    skip_space();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail();
    if (error != std::errc()) return {};
    text_.remove_prefix(std::size_t(end - text_.data()));
    return value;
  }
  void read_shape(NpyHeader& header) {
    std::array<std::size_t, 2> sizes{};
    std::size_t count = 0;
    expect('(');
    while (!take(')')) {
      const std::optional<std::size_t> size = number();
      if (!size) fail();
      if (count < 2) sizes[count] = *size;
      ++count;
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    if (count != 2) {
      npy_error(
          file_,
          fmt::format("the array has {} dimensions; give a matrix with a row per vertex and a column per bone", count));
    }
    header.rows = sizes[0];
    header.columns = sizes[1];
  }

  std::string_view text_;
  const InputFile& file_;
};

NpyHeader read_header(const InputFile& file) {
  std::array<unsigned char, 12> start{};
  const std::size_t known = std::min(file.size(), start.size());
  file.read(0, start.data(), known);
  if (known < 10 || std::memcmp(start.data(), npy_magic.data(), npy_magic.size()) != 0) {
    npy_error(file, "is not a NumPy file: it does not start with \"\\x93NUMPY\"");
  }
  const int version = start[6];
  if (version < 1 || version > 3) npy_error(file, fmt::format("is NPY version {}; 1 to 3 are known", version));
  const std::size_t prefix = version == 1 ? 10 : 12;
  if (known < prefix) npy_error(file, "was cut off in its header");
  std::size_t length = std::size_t(start[8]) | std::size_t(start[9]) << 8;
  if (version > 1) length |= std::size_t(start[10]) << 16 | std::size_t(start[11]) << 24;
  if (length > file.size() - prefix) npy_error(file, "was cut off in its header");
  if (length > longest_header) npy_error(file, fmt::format("has a header of {} bytes; it is damaged", length));
  std::string text(length, '\0');
  file.read(prefix, text.data(), length);
  NpyHeader header = NpyDictionary(text, file).parse();
  header.data = prefix + length;
  return header;
}

/// Bytes per number. Checks that the file holds exactly all of them.
std::size_t check_data(const NpyHeader& header, const InputFile& file) {
  std::size_t bytes = 0;
  for (const std::size_t size : {std::size_t(2), std::size_t(4), std::size_t(8)}) {
    const char digit = char('0' + size);
    if (header.type.size() == 3 && (header.type[0] == '<' || header.type[0] == '=') && header.type[1] == 'f' &&
        header.type[2] == digit) {
      bytes = size;
    }
  }
  if (bytes == 0) {
    npy_error(file, fmt::format("has numbers of type \"{}\"; save it with .astype(\"<f4\")", header.type));
  }
  if (header.rows == 0 || header.columns == 0) npy_error(file, "is an empty matrix");
  const std::size_t left = file.size() - header.data;
  if (header.rows > left / bytes / header.columns || header.rows * header.columns * bytes != left) {
    npy_error(file, fmt::format("{} x {} numbers of {} bytes do not take the {} bytes after the header; the file was "
                                "cut off or damaged",
                                header.rows, header.columns, bytes, left));
  }
  return bytes;
}

/// IEEE 754 half precision to double.
double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return std::numeric_limits<double>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

double number_at(const char* bytes, std::size_t size) {
  if (size == 2) {
    std::uint16_t half = 0;
    std::memcpy(&half, bytes, size);
    return from_half(half);
  }
  if (size == 4) {
    float single = 0;
    std::memcpy(&single, bytes, size);
    return single;
  }
  double value = 0;
  std::memcpy(&value, bytes, size);
  return value;
}

}  // namespace

Matrix read_npy(const std::filesystem::path& path) {
  const InputFile file(path);
  const NpyHeader header = read_header(file);
  const std::size_t bytes = check_data(header, file);
  Matrix matrix{header.rows, header.columns, std::vector<float>(header.rows * header.columns)};
  // Reads row by row of the file (column by column of the matrix in Fortran order), to need no second copy in memory.
  const std::size_t outer = header.fortran ? header.columns : header.rows;
  const std::size_t inner = header.fortran ? header.rows : header.columns;
  std::vector<char> line(inner * bytes);
  for (std::size_t r = 0; r < outer; ++r) {
    file.read(header.data + r * line.size(), line.data(), line.size());
    for (std::size_t c = 0; c < inner; ++c) {
      const auto value = float(number_at(line.data() + c * bytes, bytes));
      if (!std::isfinite(value)) {
        npy_error(file, fmt::format("row {}, column {} is not a finite float (both counted from 0)",
                                    header.fortran ? c : r, header.fortran ? r : c));
      }
      matrix.values[header.fortran ? c * outer + r : r * inner + c] = value;
    }
  }
  return matrix;
}

void write_npy(const Matrix& matrix, const std::filesystem::path& file) {
  require(
      matrix.rows > 0 && matrix.columns > 0 && matrix.values.size() == matrix.rows * matrix.columns, "write_npy", [&] {
        return fmt::format("{} values for {} rows and {} columns", matrix.values.size(), matrix.rows, matrix.columns);
      });
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", matrix.rows, matrix.columns);
  // The numbers start at a multiple of 64 bytes; the header ends with a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  const char prefix[4] = {1, 0, char(header.size() & 255), char(header.size() >> 8)};
  AtomicFile out(file);
  out.write(npy_magic);
  out.write(prefix, sizeof prefix);
  out.write(header);
  out.write(matrix.values.data(), matrix.values.size() * sizeof(float));
  out.commit();
}

}  // namespace marrow
