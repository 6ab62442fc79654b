// glTF 2.0, section 3.6: buffers, views and accessors.
#include "io/gltf_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "marrow/error.hpp"

namespace marrow::glb {
namespace {

constexpr int vertex_use = 34962, index_use = 34963;

std::size_t bytes_of_component(std::size_t component) {
  switch (component) {
    case 5121:
      return 1;
    case 5123:
      return 2;
    case 5125:
    case 5126:
      return 4;
    default:
      return 0;
  }
}

std::size_t width_of_type(std::string_view type) {
  if (type == "SCALAR") return 1;
  if (type == "VEC2") return 2;
  if (type == "VEC3") return 3;
  if (type == "VEC4") return 4;
  return type == "MAT4" ? 16 : 0;
}

template <class In>
void unpack(const std::vector<std::byte>& bytes, bool normalized, std::vector<double>& out) {
  for (std::size_t k = 0; k < out.size(); ++k) {
    In value{};
    std::memcpy(&value, bytes.data() + k * sizeof(In), sizeof(In));
    out[k] = double(value);
    if (normalized) out[k] /= double(std::numeric_limits<In>::max());
  }
}

}  // namespace

Tables::Tables(const OrderedJson& document, const ReadBinary& binary, const std::string& file)
    : document_(document), binary_(binary), file_(file) {
  read_views();
  for (const OrderedJson& json : list(document, "accessors")) {
    tables_.push_back(read_table(json, fmt::format("accessors[{}]", tables_.size())));
  }
}

void Tables::fail(std::string_view place, std::string_view what) const {
  throw Error(ErrorCode::bad_file, file_,
              fmt::format("is not written, since glTF does not allow it ({}: {}); this is a fault of Marrow, please "
                          "report it",
                          place, what));
}

const Tables::OrderedJson& Tables::list(const OrderedJson& object, const char* key) {
  static const OrderedJson none = OrderedJson::array();
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::size_t Tables::index(const OrderedJson& object, const char* key, std::size_t size, std::string_view place) const {
  const auto found = object.find(key);
  require(found != object.end() && found->is_number_integer(), place, fmt::format("has no {}", key));
  const auto value = found->get<std::int64_t>();
  require(value >= 0 && std::uint64_t(value) < size, place, fmt::format("{} is {} of {}", key, value, size));
  return std::size_t(value);
}

void Tables::read_views() {
  const OrderedJson& buffers = list(document_, "buffers");
  require(buffers.size() == 1, "buffers", "are not one");
  const auto bytes = buffers[0].value("byteLength", std::uint64_t(0));
  require(bytes > 0, "buffers[0]", "is empty");
  for (const OrderedJson& json : list(document_, "bufferViews")) {
    const std::string place = fmt::format("bufferViews[{}]", views_.size());
    index(json, "buffer", 1, place);
    const auto offset = json.value("byteOffset", std::uint64_t(0)), length = json.value("byteLength", std::uint64_t(0));
    const int use = json.value("target", 0);
    require(length > 0, place, "is empty");
    require(offset <= bytes && length <= bytes - offset, place, "is outside its buffer");
    require(use == 0 || use == vertex_use || use == index_use, place, "has an unknown target");
    require(!json.contains("byteStride"), place, "has a stride");
    views_.emplace_back(offset, length);
    targets_.push_back(use);
  }
}

Table Tables::read_table(const OrderedJson& json, std::string place) const {
  Table table;
  table.place = std::move(place);
  const auto check = [&](bool rule, const char* what) { require(rule, table.place, what); };
  table.view = index(json, "bufferView", views_.size(), table.place);
  table.type = json.value("type", "");
  table.width = width_of_type(table.type);
  table.component = json.value("componentType", std::size_t(0));
  table.component_bytes = bytes_of_component(table.component);
  table.count = json.value("count", std::uint64_t(0));
  table.normalized = json.value("normalized", false);
  check(table.width != 0 && table.component_bytes != 0, "has an unknown type");
  check(table.count > 0, "has no elements");
  check(!table.normalized || table.component_bytes < 4, "of this type cannot be normalised");
  const auto [view_begin, view_bytes] = views_[table.view];
  const auto offset = json.value("byteOffset", std::uint64_t(0));
  table.begin = view_begin + offset;
  check(offset % table.component_bytes == 0 && table.begin % table.component_bytes == 0, "is not aligned");
  check(offset < view_bytes && table.count <= (view_bytes - offset) / table.bytes(), "runs past its view");
  for (const auto& [key, limits] : {std::pair{"min", &table.min}, std::pair{"max", &table.max}}) {
    for (const OrderedJson& value : list(json, key)) limits->push_back(value.get<double>());
    check(limits->size() == table.width || !json.contains(key), "has limits of another width");
  }
  check(table.min.empty() == table.max.empty(), "has only one of min and max");
  return table;
}

std::vector<double> Tables::numbers(const Table& table, std::uint64_t first, std::uint64_t count) const {
  std::vector<double> out(count * table.width);
  std::vector<std::byte> bytes(count * table.bytes());
  binary_(table.begin + first * table.bytes(), bytes);
  if (table.is_float()) {
    unpack<float>(bytes, false, out);
  } else if (table.component_bytes == 1) {
    unpack<std::uint8_t>(bytes, table.normalized, out);
  } else if (table.component_bytes == 2) {
    unpack<std::uint16_t>(bytes, table.normalized, out);
  } else {
    unpack<std::uint32_t>(bytes, false, out);
  }
  return out;
}

void check_numbers(const Tables& tables) {
  for (const Table& table : tables.all()) {
    if (!table.is_float() && table.min.empty()) continue;
    std::vector<double> low(table.width, std::numeric_limits<double>::infinity()), high(table.width, -low[0]);
    for_blocks(table.count, [&](std::uint64_t first, std::uint64_t count) {
      const std::vector<double> values = tables.numbers(table, first, count);
      for (std::size_t k = 0; k < values.size(); ++k) {
        tables.require(std::isfinite(values[k]), table.place, "has a number that is not finite");
        low[k % table.width] = std::min(low[k % table.width], values[k]);
        high[k % table.width] = std::max(high[k % table.width], values[k]);
      }
    });
    if (table.min.empty()) continue;
    tables.require(table.min == low && table.max == high, table.place, "states other limits than its numbers have");
  }
}

}  // namespace marrow::glb
