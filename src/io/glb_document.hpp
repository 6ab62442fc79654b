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

#include "io/glb_source.hpp"
#include "marrow/run.hpp"

namespace marrow::glb {

using Json = nlohmann::json;

/// A glTF file in memory: its JSON and buffers, with checked access. Every error is Error{bad_file} with file and
/// place.
///
/// Why not tinygltf: it copies "extras" by recursion, so that a small file of nested brackets overflows the stack, and
/// it leaves accessor bounds to the caller. nlohmann's parser and destructor are iterative. Its copies, comparisons and
/// dumps are recursive: do not use them here.
class Document {
 public:
  /// Takes at most the memory that the run allows. What is in memory is copied.
  Document(GlbSource source, const Run& run);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  [[noreturn]] void fail(std::string_view place, std::string_view message) const;

  /// Number of objects in the top-level list `name`; 0 if it is missing.
  std::size_t count(const char* name) const;
  /// An object of a top-level list.
  const Json& item(const char* name, std::size_t index) const;
  /// Index of the scene to show: the file's default, else 0. nullopt if there are no scenes.
  std::optional<std::size_t> default_scene() const;
  /// A top-level extension; nullptr if the file does not have it.
  const Json* extension(const char* name) const;
  /// True when the file was written by this library.
  bool is_own() const;

  // Members of an object. `place` is the object's place in error messages.

  /// The list under `key`; empty if missing.
  const Json& list(const Json& object, const char* key, std::string_view place) const;
  /// The object under `key`; nullptr if missing.
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
  /// The text under `key`; empty if missing or not a text.
  static std::string text(const Json& object, const char* key);

  // Accessors. `width`: 1 (SCALAR), 2 to 4 (VECn) or 16 (MAT4). Results hold count * width values.

  std::size_t accessor_count(std::size_t accessor) const;
  /// Normalised integers are divided by their range.
  std::vector<float> floats(std::size_t accessor, std::size_t width) const;
  /// Fails unless the accessor holds unsigned integers.
  std::vector<std::uint32_t> integers(std::size_t accessor, std::size_t width) const;

  /// Deducts `count` elements of `size` bytes from the memory budget of this file; fails if it is exhausted. Accessors
  /// may share bytes and state any number of elements, so that only the total can be bounded.
  void charge(std::size_t count, std::size_t size, std::string_view what) const;
  /// The same for work: `count` times `steps` of some 50 ns, such as the pose of a node.
  void charge_steps(std::size_t count, std::size_t steps, std::string_view what) const;

 private:
  void read_file();
  void read_container();
  void parse_json(std::string_view text);
  void check_extensions() const;
  void load_buffers(std::optional<std::string_view> binary_chunk);
  void spend(std::size_t count, std::size_t size, std::string_view what) const;
  void charge_memory(std::size_t count, std::size_t size, std::string_view what) const;
  std::string load_uri(const std::string& uri, std::size_t bytes, std::string_view place) const;
  /// The bytes of a bufferView.
  std::string_view view(std::size_t index) const;

  /// Total size of all buffers.
  std::size_t data_bytes() const;

  struct Layout;
  struct Elements;
  Layout layout(std::size_t accessor, std::size_t width) const;
  /// `count` elements of a bufferView, checked to lie inside it. Packed if the view has no stride.
  Elements elements(const Json& parent, std::size_t count, std::size_t size, std::string_view place) const;
  template <class Out>
  std::vector<Out> decode(const Layout& layout) const;
  template <class Out>
  void decode_sparse(const Json& sparse, const Layout& layout, std::vector<Out>& out) const;

  GlbSource source_;
  std::string bytes_;               // the file itself
  std::deque<std::string> loaded_;  // buffers of other files and data URIs
  std::vector<std::string_view> buffers_;
  Json root_;
  Run limits_;  // with nothing but the memory
  // mutable: the budget is not part of the document's value.
  mutable std::size_t budget_ = 0, taken_ = 0;
};

}  // namespace marrow::glb
