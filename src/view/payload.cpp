#include "view/payload.hpp"

#include <array>
#include <bit>
#include <new>
#include <type_traits>

namespace marrow::view {
namespace {

const char* name_of(Payload::Coding coding) {
  switch (coding) {
    case Payload::Coding::plain:
      return "plain";
    case Payload::Coding::delta:
      return "delta";
    case Payload::Coding::rows:
      return "rows";
  }
  return "";
}

/// Zigzag code of a difference: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
template <class T>
T zigzag(T value, T before) {
  const auto difference = static_cast<T>(value - before);
  const bool negative = (difference >> (8 * sizeof(T) - 1)) != 0;
  return static_cast<T>(static_cast<T>(difference << 1U) ^ (negative ? static_cast<T>(~T{0}) : T{0}));
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t e = 0; e < bytes.size(); e += 3) {
    const std::size_t left = bytes.size() - e;
    const std::uint32_t three = std::uint32_t(bytes[e]) << 16U | (left > 1 ? std::uint32_t(bytes[e + 1]) << 8U : 0U) |
                                (left > 2 ? std::uint32_t(bytes[e + 2]) : 0U);
    text += digits[three >> 18U];
    text += digits[three >> 12U & 63U];
    text += left > 1 ? digits[three >> 6U & 63U] : '=';
    text += left > 2 ? digits[three & 63U] : '=';
  }
  return text;
}

}  // namespace

Payload::Payload(const Run& run) : run_(run) {
  if (deflateInit(&stream_, 6) != Z_OK) throw std::bad_alloc();
}

Payload::~Payload() {
  deflateEnd(&stream_);
}

void Payload::add(const std::string& name, std::span<const float> values) {
  add_rows(name, "f32", values, 1, Coding::plain);
}

void Payload::add(const std::string& name, std::span<const std::uint32_t> values, Coding coding) {
  add_rows(name, "u32", values, 1, coding);
}

void Payload::add(const std::string& name, std::span<const std::uint16_t> values, std::size_t rows, Coding coding) {
  add_rows(name, "u16", values, rows, coding);
}

template <class T>
void Payload::add_rows(const std::string& name, const char* type, std::span<const T> values, std::size_t rows,
                       Coding coding) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
  const std::size_t length = rows == 0 ? 0 : values.size() / rows;
  const std::size_t back = coding == Coding::rows ? length : 1;
  std::vector<std::uint8_t> planes(length * sizeof(T));
  for (std::size_t r = 0; r < rows; ++r) {
    run_.check_stop("writing the page");
    for (std::size_t q = 0; q < length; ++q) {
      const std::size_t at = r * length + q;
      auto bits = std::bit_cast<Bits>(values[at]);
      if (coding != Coding::plain) bits = zigzag(bits, at < back ? Bits{0} : std::bit_cast<Bits>(values[at - back]));
      for (std::size_t b = 0; b < sizeof(T); ++b) planes[b * length + q] = std::uint8_t(bits >> (8 * b));
    }
    deflate_bytes(planes, Z_NO_FLUSH);
  }
  sections_.push_back(
      {{"name", name}, {"type", type}, {"count", length * rows}, {"rows", rows}, {"coding", name_of(coding)}});
}

void Payload::deflate_bytes(std::span<const std::uint8_t> bytes, int flush) {
  std::array<std::uint8_t, 65536> buffer;
  constexpr std::size_t piece = std::size_t(1) << 30U;  // zlib counts in 32 bits
  do {
    const auto part = bytes.first(std::min(bytes.size(), piece));
    bytes = bytes.subspan(part.size());
    stream_.next_in = const_cast<Bytef*>(part.data());  // zlib only reads it
    stream_.avail_in = uInt(part.size());
    do {
      stream_.next_out = buffer.data();
      stream_.avail_out = buffer.size();
      deflate(&stream_, bytes.empty() ? flush : Z_NO_FLUSH);
      deflated_.insert(deflated_.end(), buffer.begin(), buffer.end() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  } while (!bytes.empty());
}

std::string Payload::finish() {
  deflate_bytes({}, Z_FINISH);
  return base64(deflated_);
}

}  // namespace marrow::view
