#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include "io/glb_document.hpp"

// Accessors, glTF 2.0 section 3.6.2: typed views into buffers.

namespace marrow::glb {
namespace {

/// glTF's codes of component types (those of OpenGL).
enum Component : std::size_t { i8 = 5120, u8 = 5121, i16 = 5122, u16 = 5123, u32 = 5125, f32 = 5126 };

/// Bytes of a component; 0 for an unknown code.
std::size_t component_size(std::size_t component) {
  switch (component) {
    case i8:
    case u8:
      return 1;
    case i16:
    case u16:
      return 2;
    case u32:
    case f32:
      return 4;
    default:
      return 0;
  }
}

const char* type_name(std::size_t width) {
  constexpr std::array names{"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  return width < names.size() ? names[width] : "MAT4";
}

template <class In, class Out>
Out convert(In value, bool normalized) {
  if constexpr (std::is_integral_v<In> && std::is_floating_point_v<Out>) {
    // Section 3.6.2.2: the range is symmetric, so the lowest signed value is clamped.
    if (normalized) {
      return static_cast<Out>(std::max(double(value) / std::numeric_limits<In>::max(), -1.0));
    }
  }
  return static_cast<Out>(value);
}

}  // namespace

/// Element type and count of an accessor.
struct Document::Layout {
  std::string place;
  const Json& json;
  std::size_t count, width, component;
  bool normalized;

  std::size_t size() const { return width * component_size(component); }
};

/// Elements in a buffer, `stride` bytes apart.
struct Document::Elements {
  std::string_view bytes;
  std::size_t stride, count;

  /// Component c of element k goes to out[k * width + c]; with `targets` to out[targets[k] * width + c].
  template <class In, class Out>
  void unpack_as(std::size_t width, bool normalized, const std::uint32_t* targets, std::vector<Out>& out) const {
    for (std::size_t e = 0; e < count; ++e) {
      const std::size_t element = targets != nullptr ? targets[e] : e;
      for (std::size_t c = 0; c < width; ++c) {
        In value{};
        std::memcpy(&value, bytes.data() + e * stride + c * sizeof(In), sizeof(In));
        out[element * width + c] = convert<In, Out>(value, normalized);
      }
    }
  }

  template <class Out>
  void unpack(std::size_t component, std::size_t width, bool normalized, const std::uint32_t* targets,
              std::vector<Out>& out) const {
    switch (component) {
      case i8:
        return unpack_as<std::int8_t>(width, normalized, targets, out);
      case u8:
        return unpack_as<std::uint8_t>(width, normalized, targets, out);
      case i16:
        return unpack_as<std::int16_t>(width, normalized, targets, out);
      case u16:
        return unpack_as<std::uint16_t>(width, normalized, targets, out);
      case u32:
        return unpack_as<std::uint32_t>(width, normalized, targets, out);
      default:
        // integers() has rejected floats: one out of range has no integer.
        if constexpr (std::is_floating_point_v<Out>) unpack_as<float>(width, normalized, targets, out);
    }
  }
};

std::size_t Document::accessor_count(std::size_t accessor) const {
  const std::string place = fmt::format("accessors[{}]", accessor);
  const std::optional<std::size_t> stated = integer(item("accessors", accessor), "count", place);
  if (!stated) fail(place, "has no count");
  return *stated;
}

Document::Layout Document::layout(std::size_t accessor, std::size_t width) const {
  const Json& json = item("accessors", accessor);
  Layout out{fmt::format("accessors[{}]", accessor), json, accessor_count(accessor), width, 0, false};
  if (text(json, "type") != type_name(width)) {
    fail(out.place, fmt::format("its type is \"{}\" instead of {}", text(json, "type"), type_name(width)));
  }
  out.component = integer(json, "componentType", out.place).value_or(0);
  if (component_size(out.component) == 0) fail(out.place, fmt::format("unknown componentType {}", out.component));
  const auto normalized = json.find("normalized");
  out.normalized = normalized != json.end() && normalized->is_boolean() && normalized->get<bool>();
  return out;
}

std::string_view Document::view(std::size_t index) const {
  const std::string place = fmt::format("bufferViews[{}]", index);
  const Json& json = item("bufferViews", index);
  const std::string_view buffer = buffers_[required_reference(json, "buffer", "buffers", place)];
  const std::size_t offset = integer(json, "byteOffset", place).value_or(0);
  const std::size_t length = integer(json, "byteLength", place).value_or(0);
  if (offset > buffer.size() || length > buffer.size() - offset) {
    fail(place, fmt::format("bytes {} + {} are outside its buffer of {} bytes", offset, length, buffer.size()));
  }
  return buffer.substr(offset, length);
}

Document::Elements Document::elements(const Json& parent, std::size_t count, std::size_t size,
                                      std::string_view place) const {
  const std::size_t index = required_reference(parent, "bufferView", "bufferViews", place);
  const std::string_view bytes = view(index);
  const std::size_t offset = integer(parent, "byteOffset", place).value_or(0);
  const std::size_t stride = integer(item("bufferViews", index), "byteStride", place).value_or(size);
  if (stride < size) fail(place, fmt::format("elements of {} bytes are only {} bytes apart", size, stride));
  if (count == 0) return {bytes, stride, 0};
  if (offset > bytes.size() || size > bytes.size() - offset || count - 1 > (bytes.size() - offset - size) / stride) {
    fail(place, fmt::format("{} elements of {} bytes from byte {} are outside bufferView {} of {} bytes", count, size,
                            offset, index, bytes.size()));
  }
  return {bytes.substr(offset), stride, count};
}

std::size_t Document::data_bytes() const {
  std::size_t sum = 0;
  for (const std::string_view buffer : buffers_) sum += buffer.size();
  return sum;
}

template <class Out>
void Document::decode_sparse(const Json& sparse, const Layout& layout, std::vector<Out>& out) const {
  const std::string place = layout.place + ".sparse";
  const std::size_t count = integer(sparse, "count", place).value_or(0);
  const Json* indices = object(sparse, "indices", place);
  const Json* values = object(sparse, "values", place);
  if (indices == nullptr || values == nullptr) fail(place, "lacks indices or values");
  const std::size_t component = integer(*indices, "componentType", place).value_or(0);
  if (component != u8 && component != u16 && component != u32) fail(place, "indices are not unsigned integers");
  const Elements index_elements = elements(*indices, count, component_size(component), place);
  const Elements value_elements = elements(*values, count, layout.size(), place);
  charge(count, sizeof(std::uint32_t), place);
  std::vector<std::uint32_t> targets(count);
  index_elements.unpack(component, 1, false, nullptr, targets);
  if (std::ranges::any_of(targets, [&](std::uint32_t t) { return t >= layout.count; })) {
    fail(place, fmt::format("an index is outside the {} elements", layout.count));
  }
  value_elements.unpack(layout.component, layout.width, layout.normalized, targets.data(), out);
}

template <class Out>
std::vector<Out> Document::decode(const Layout& layout) const {
  // Without a bufferView all elements are 0; the sparse part may replace some.
  Elements base{{}, 0, 0};
  if (layout.json.contains("bufferView")) {
    base = elements(layout.json, layout.count, layout.size(), layout.place);
  } else if (layout.count > data_bytes()) {
    fail(layout.place, fmt::format("states {} elements without data, more than the file has bytes", layout.count));
  }
  charge(layout.count, layout.width * sizeof(Out), layout.place);
  std::vector<Out> out(layout.count * layout.width);
  base.unpack(layout.component, layout.width, layout.normalized, nullptr, out);
  if (const Json* sparse = object(layout.json, "sparse", layout.place)) decode_sparse(*sparse, layout, out);
  return out;
}

std::vector<float> Document::floats(std::size_t accessor, std::size_t width) const {
  return decode<float>(layout(accessor, width));
}

std::vector<std::uint32_t> Document::integers(std::size_t accessor, std::size_t width) const {
  const Layout checked = layout(accessor, width);
  if (checked.component != u8 && checked.component != u16 && checked.component != u32) {
    fail(checked.place, "does not hold unsigned integers");
  }
  return decode<std::uint32_t>(checked);
}

}  // namespace marrow::glb
