#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "marrow/run.hpp"

namespace marrow::view {

/// The arrays of a page, deflated, in base64. To deflate better, similar consecutive numbers become differences, and
/// the bytes of a row are grouped by significance. viewer/src/data/payload.ts decodes it.
class Payload {
 public:
  enum class Coding {
    plain,  ///< values as they are
    delta,  ///< differences to the previous value
    rows,   ///< differences to the value in the previous row
  };

  explicit Payload(const Run& run);
  ~Payload();
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;

  void add(const std::string& name, std::span<const float> values);
  void add(const std::string& name, std::span<const std::uint32_t> values, Coding coding = Coding::plain);
  /// `values`: `rows` rows of equal length.
  void add(const std::string& name, std::span<const std::uint16_t> values, std::size_t rows, Coding coding);

  /// Returns all arrays in base64. Call once, after the last add().
  std::string finish();
  /// Describes the arrays in order: name, type, count, rows, coding.
  const nlohmann::ordered_json& sections() const { return sections_; }

 private:
  template <class T>
  void add_rows(const std::string& name, const char* type, std::span<const T> values, std::size_t rows, Coding coding);
  void deflate_bytes(std::span<const std::uint8_t> bytes, int flush);

  const Run& run_;
  z_stream stream_{};
  std::vector<std::uint8_t> deflated_;
  nlohmann::ordered_json sections_ = nlohmann::ordered_json::array();
};

}  // namespace marrow::view
