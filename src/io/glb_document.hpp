#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace marrow::glb {

using Json = nlohmann::json;

/// A glTF file in memory: its JSON, its buffers, and checked access to both.
///
/// tinygltf is not used: it copies "extras" by recursion, so that a small file of nested brackets overflows the stack,
/// and it leaves accessor bounds to the caller anyway. nlohmann's parser and destructor are iterative; here no JSON
/// value is copied, compared or printed, as those are recursive too.
///
/// All errors are Error{bad_file} that name the file and the place in it.
class Document {
 public:
  explicit Document(const std::filesystem::path& file);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  [[noreturn]] void fail(std::string_view place, std::string_view message) const;

  /// How many objects the top-level list `name` holds; 0 where it is missing.
  std::size_t count(const char* name) const;
  /// An object of a top-level list.
  const Json& item(const char* name, std::size_t index) const;
  /// The scene to show: the one the file names, else the first; none where there are no scenes.
  std::optional<std::size_t> default_scene() const;
  /// What a top-level extension says; nullptr where the file does not have it.
  const Json* extension(const char* name) const;
  /// True when the file was written by this library.
  bool is_own() const;

  // Members of an object. `place` says where the object is, for the error message.

  /// The list under `key`, or an empty one where it is missing.
  const Json& list(const Json& object, const char* key, std::string_view place) const;
  /// The object under `key`; nullptr where it is missing.
  const Json* object(const Json& parent, const char* key, std::string_view place) const;
  std::optional<std::size_t> integer(const Json& object, const char* key, std::string_view place) const;
  /// An index into the top-level list `target`.
  std::optional<std::size_t> reference(const Json& object, const char* key, const char* target,
                                       std::string_view place) const;
  std::size_t required_reference(const Json& object, const char* key, const char* target, std::string_view place) const;
  /// A list of indices into the top-level list `target`.
  std::vector<std::size_t> references(const Json& object, const char* key, const char* target,
                                      std::string_view place) const;
  std::optional<std::vector<double>> numbers(const Json& object, const char* key, std::string_view place) const;
  /// The text under `key`; empty where it is missing or something else.
  static std::string text(const Json& object, const char* key);

  // Accessors. `width` is 1 (SCALAR), 2 to 4 (VECn) or 16 (MAT4); the result holds count * width values.

  std::size_t accessor_count(std::size_t accessor) const;
  /// Integers are divided by their range where the accessor says so.
  std::vector<float> floats(std::size_t accessor, std::size_t width) const;
  /// Fails when the accessor holds anything but unsigned integers.
  std::vector<std::uint32_t> integers(std::size_t accessor, std::size_t width) const;

  /// Takes `count` elements of `size` bytes from what this file may cost in memory; fails when nothing is left. Files
  /// can refer to the same bytes many times and state any number of keys or zeros, so what is read has to be bounded by
  /// a total rather than one by one.
  void charge(std::size_t count, std::size_t size, std::string_view what) const;

 private:
  void read_container();
  void parse_json(std::string_view text);
  void check_extensions() const;
  void load_buffers(std::optional<std::string_view> binary_chunk);
  std::string load_uri(const std::string& uri, std::size_t bytes, std::string_view place) const;
  /// The bytes of a bufferView.
  std::string_view view(std::size_t index) const;

  /// Of all buffers.
  std::size_t data_bytes() const;

  struct Layout;
  struct Elements;
  Layout layout(std::size_t accessor, std::size_t width) const;
  /// `count` elements of a bufferView, all of them inside it. Packed where the view has no stride.
  Elements elements(const Json& parent, std::size_t count, std::size_t size, std::string_view place) const;
  template <class Out>
  std::vector<Out> decode(const Layout& layout) const;
  template <class Out>
  void decode_sparse(const Json& sparse, const Layout& layout, std::vector<Out>& out) const;

  std::filesystem::path file_;
  std::string bytes_;               // the file itself
  std::deque<std::string> loaded_;  // buffers from elsewhere
  std::vector<std::string_view> buffers_;
  Json root_;
  // What reading has cost is no part of what the document says.
  mutable std::size_t budget_ = 0;
};

}  // namespace marrow::glb
