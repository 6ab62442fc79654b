#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/gltf_rules.hpp"

namespace marrow::glb {

/// An accessor that keeps the rules of section 3.6.2: where its elements are and what they are.
struct Table {
  std::string place;
  std::string type;  ///< "SCALAR", ...
  std::uint64_t begin = 0, count = 0;
  std::size_t width = 0, component = 0, component_bytes = 0, view = 0;
  bool normalized = false;
  std::vector<double> min{}, max{};  ///< as stated, or empty

  std::size_t bytes() const { return width * component_bytes; }
  bool is_float() const { return component == 5126; }
};

/// What the rules are looked up in: the document, its accessors and their numbers.
class Tables {
 public:
  using OrderedJson = nlohmann::ordered_json;

  /// Checks buffers, views and accessors (sections 3.6.1 and 3.6.2).
  Tables(const OrderedJson& document, const ReadBinary& binary, const std::string& file);

  [[noreturn]] void fail(std::string_view place, std::string_view what) const;
  void require(bool rule, std::string_view place, std::string_view what) const {
    if (!rule) fail(place, what);
  }

  const OrderedJson& document() const { return document_; }
  /// A list of the document, empty where it is missing.
  static const OrderedJson& list(const OrderedJson& object, const char* key);
  /// The index under `key` into something that has `size` entries.
  std::size_t index(const OrderedJson& object, const char* key, std::size_t size, std::string_view place) const;
  const std::vector<Table>& all() const { return tables_; }
  const Table& table(const OrderedJson& object, const char* key, std::string_view place) const {
    return tables_[index(object, key, tables_.size(), place)];
  }
  /// The stated use of a view, 0 where there is none.
  int target(std::size_t view) const { return targets_[view]; }

  /// Elements [first, first + count), `width` numbers each. Integers are divided by their range where normalised.
  std::vector<double> numbers(const Table& table, std::uint64_t first, std::uint64_t count) const;

 private:
  void read_views();
  Table read_table(const OrderedJson& json, std::string place) const;

  const OrderedJson& document_;
  const ReadBinary& binary_;
  const std::string& file_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> views_;  ///< offset, length
  std::vector<int> targets_;
  std::vector<Table> tables_;
};

/// Numbers are looked at in blocks of so many elements.
constexpr std::uint64_t elements_per_block = 4096;

/// Calls body(first, count) for blocks of [0, total).
template <class Body>
void for_blocks(std::uint64_t total, Body&& body) {
  for (std::uint64_t first = 0; first < total; first += elements_per_block) {
    body(first, std::min(elements_per_block, total - first));
  }
}

/// The numbers of accessors alone: finite, and within the least and largest that are stated.
void check_numbers(const Tables& tables);
/// Section 3.7: meshes, their attributes and indices.
void check_meshes(const Tables& tables);
/// Sections 3.5 and 3.7.3: nodes are a set of trees, scenes show roots, joints stand in one tree.
void check_nodes(const Tables& tables);
/// Section 3.11.
void check_animations(const Tables& tables);

}  // namespace marrow::glb
