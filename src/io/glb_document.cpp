#include "io/glb_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/memory.hpp"
#include "io/input_file.hpp"
#include "marrow/error.hpp"

namespace marrow::glb {
namespace {

constexpr std::string_view magic = "glTF";
constexpr std::size_t start_bytes = 20;  // with that of the first chunk
constexpr std::uint32_t json_chunk = 0x4E4F534A, binary_chunk_type = 0x004E4942;

// Limit of memory and work per file. Baking a few keys of a large mesh takes far more than the file's size, but has to
// be bounded.
constexpr std::size_t base_budget = std::size_t(1) << 29, budget_per_byte = 256;
// What a step of work counts: filling half a gigabyte takes about a second, as 16 million steps do.
constexpr std::size_t bytes_per_step = 32;

std::uint32_t word(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string read_beginning(const InputFile& input, std::size_t bytes) {
  std::string out(std::min(input.size(), bytes), '\0');
  input.read(0, out.data(), out.size());
  return out;
}

/// Whether a text can be JSON's: an object, perhaps after a byte order mark and blanks.
bool may_be_json(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos || text[begin] == '{';
}

/// About what a text takes as JSON values, at most: strings as they are, and a value for whatever separates two.
std::size_t memory_of_json(std::string_view text) {
  constexpr std::size_t bytes_per_value = 64;
  const auto values = std::ranges::count_if(text, [](char c) { return c == ',' || c == ':' || c == '[' || c == '{'; });
  return text.size() + bytes_per_value * std::size_t(values);
}

/// RFC 4648. Stops at the first character outside the alphabet, such as padding.
std::string decode_base64(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<int, 256> digit;
  digit.fill(-1);
  for (std::size_t e = 0; e < alphabet.size(); ++e) digit[static_cast<unsigned char>(alphabet[e])] = int(e);
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const int d = digit[static_cast<unsigned char>(c)];
    if (d < 0) break;
    bits = (bits << 6 | std::uint32_t(d)) & 0xFFFFFF;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(char(bits >> held & 0xFF));
  }
  return out;
}

std::string decode_percent(std::string_view uri) {
  const auto hex = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string out;
  for (std::size_t e = 0; e < uri.size(); ++e) {
    if (uri[e] == '%' && e + 2 < uri.size() && hex(uri[e + 1]) >= 0 && hex(uri[e + 2]) >= 0) {
      out.push_back(char(16 * hex(uri[e + 1]) + hex(uri[e + 2])));
      e += 2;
    } else {
      out.push_back(uri[e]);
    }
  }
  return out;
}

/// Extensions that do not change where vertices are, or that the accessors handle.
bool is_harmless(std::string_view extension) {
  return extension == "KHR_mesh_quantization" || extension.starts_with("KHR_materials_") ||
         extension.starts_with("KHR_texture_") || extension.starts_with("EXT_texture_") ||
         extension == "KHR_lights_punctual";
}

}  // namespace

Document::Document(GlbSource source, const Run&) : source_(std::move(source)) {
  if (const auto& bytes = source_.bytes()) {
    bytes_.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    taken_ = bytes_.size();
  } else {
    read_file();
  }
  budget_ = base_budget + budget_per_byte * bytes_.size();
  read_container();
}

/// Of a GLB what its header states, whatever follows; anything that cannot be glTF is not read at all.
void Document::read_file() {
  const InputFile input(source_.file());
  const std::string start = read_beginning(input, start_bytes);
  std::size_t length = input.size();
  if (start.starts_with(magic)) {
    if (start.size() < start_bytes) fail("header", "the file ends inside it; it is not complete");
    if (word(start, 4) != 2) {
      fail("header", fmt::format("version {} instead of 2; export it as glTF 2.0", word(start, 4)));
    }
    length = word(start, 8);
    if (length > input.size()) {
      fail("header", fmt::format("states {} bytes, but the file has {}; it is not complete", length, input.size()));
    }
  } else if (!may_be_json(start)) {
    fail("JSON", "is damaged, or this is not a glTF file");
  }
  need(limits_, length, 1, source_.name());
  bytes_ = read_beginning(input, length);
  taken_ = bytes_.size();
}

void Document::fail(std::string_view place, std::string_view message) const {
  throw Error(ErrorCode::bad_file, source_.name(), fmt::format("{}: {}", place, message));
}

void Document::read_container() {
  const std::string_view all = bytes_;
  std::optional<std::string_view> binary;
  if (all.starts_with(magic)) {
    const std::size_t length = all.size();
    if (length < start_bytes || word(all, 12) > length - start_bytes || word(all, 16) != json_chunk) {
      fail("first chunk", "is not JSON within the stated length; the file is damaged");
    }
    const std::size_t json_length = word(all, 12);
    for (std::size_t begin = start_bytes + json_length; !binary && length - begin >= 8;) {
      const std::size_t size = word(all, begin);
      if (size > length - begin - 8) fail("chunk", "runs past the stated length; the file is damaged");
      if (word(all, begin + 4) == binary_chunk_type) binary = all.substr(begin + 8, size);
      begin += 8 + size;
    }
    // Chunks are padded to multiples of 4 bytes; some exporters pad JSON with zeros instead of spaces.
    const std::string_view json = all.substr(start_bytes, json_length);
    parse_json(json.substr(0, json.find_last_not_of('\0') + 1));
  } else {
    parse_json(all);
  }
  load_buffers(binary);
}

void Document::parse_json(std::string_view json) {
  charge_memory(memory_of_json(json), 1, "JSON");
  root_ = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (!root_.is_object()) fail("JSON", "is damaged, or this is not a glTF file");
  const Json* asset = object(root_, "asset", "JSON");
  const std::string version = asset != nullptr ? text(*asset, "version") : "";
  if (!version.starts_with("2.")) {
    fail("asset", fmt::format("glTF version \"{}\" instead of 2.0; export it as glTF 2.0", version));
  }
  check_extensions();
}

void Document::check_extensions() const {
  for (const Json& name : list(root_, "extensionsRequired", "JSON")) {
    const std::string extension = name.is_string() ? name.get<std::string>() : "?";
    if (is_harmless(extension)) continue;
    fail("extensionsRequired",
         fmt::format("the file needs the extension {}, which is not supported; export it without, or have a tool such "
                     "as gltf-transform or gltfpack undo it",
                     extension));
  }
}

void Document::load_buffers(std::optional<std::string_view> binary_chunk) {
  for (std::size_t b = 0; b < count("buffers"); ++b) {
    const std::string place = fmt::format("buffers[{}]", b);
    const Json& buffer = item("buffers", b);
    const std::optional<std::size_t> bytes = integer(buffer, "byteLength", place);
    if (!bytes) fail(place, "has no byteLength");
    std::string_view data;
    if (buffer.contains("uri")) {
      data = loaded_.emplace_back(load_uri(text(buffer, "uri"), *bytes, place));
    } else if (b == 0 && binary_chunk) {
      data = *binary_chunk;
    } else if (*bytes != 0) {
      fail(place, "has neither a uri nor a binary chunk");
    }
    if (*bytes > data.size()) {
      fail(place, fmt::format("states {} bytes, but there are {}; the file is not complete", *bytes, data.size()));
    }
    buffers_.push_back(data.substr(0, *bytes));
  }
}

std::string Document::load_uri(const std::string& uri, std::size_t bytes, std::string_view place) const {
  if (uri.starts_with("data:")) {
    const std::size_t begin = uri.find(";base64,");
    if (begin == std::string::npos) fail(place, "the data uri is not in base64");
    return decode_base64(std::string_view(uri).substr(begin + 8));
  }
  const std::filesystem::path path(decode_percent(uri));
  if (uri.find("://") != std::string::npos || path.is_absolute()) {
    fail(place, fmt::format("the uri \"{}\" does not name a file beside this one", uri));
  }
  if (source_.bytes()) {
    fail(place, fmt::format("refers to the file \"{}\", which bytes in memory cannot have beside them; read the glTF "
                            "from its file, or pack it into one GLB",
                            uri));
  }
  const InputFile input(source_.file().parent_path() / path);
  charge(std::min(input.size(), bytes), 1, place);
  std::string data = read_beginning(input, bytes);
  budget_ += budget_per_byte * data.size();
  return data;
}

std::size_t Document::count(const char* name) const {
  return list(root_, name, "JSON").size();
}

const Json& Document::item(const char* name, std::size_t index) const {
  const Json& value = list(root_, name, "JSON").at(index);
  if (!value.is_object()) fail(fmt::format("{}[{}]", name, index), "is not an object");
  return value;
}

const Json* Document::extension(const char* name) const {
  const Json* extensions = object(root_, "extensions", "JSON");
  return extensions == nullptr ? nullptr : object(*extensions, name, "extensions");
}

bool Document::is_own() const {
  const Json* asset = object(root_, "asset", "JSON");
  const auto extras = asset->find("extras");
  return extras != asset->end() && extras->is_object() && extras->contains("marrow");
}

std::optional<std::size_t> Document::default_scene() const {
  const std::optional<std::size_t> scene = reference(root_, "scene", "scenes", "JSON");
  return scene || count("scenes") == 0 ? scene : std::size_t(0);
}

const Json& Document::list(const Json& object, const char* key, std::string_view place) const {
  static const Json none = Json::array();
  const auto found = object.find(key);
  if (found == object.end()) return none;
  if (!found->is_array()) fail(place, fmt::format("{} is not a list", key));
  return *found;
}

const Json* Document::object(const Json& parent, const char* key, std::string_view place) const {
  const auto found = parent.find(key);
  if (found == parent.end()) return nullptr;
  if (!found->is_object()) fail(place, fmt::format("{} is not an object", key));
  return &*found;
}

std::optional<std::size_t> Document::integer(const Json& object, const char* key, std::string_view place) const {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (found->is_number_unsigned()) return found->get<std::size_t>();
  // Some exporters write integers with a decimal point.
  const double value = found->is_number_float() ? found->get<double>() : -1;
  if (!(value >= 0 && value < 0x1p53 && value == std::floor(value))) {
    fail(place, fmt::format("{} is not a whole number", key));
  }
  return std::size_t(value);
}

std::optional<std::size_t> Document::reference(const Json& object, const char* key, const char* target,
                                               std::string_view place) const {
  const std::optional<std::size_t> index = integer(object, key, place);
  if (index && *index >= count(target)) {
    fail(place, fmt::format("{} is {}, but there are only {} {}", key, *index, count(target), target));
  }
  return index;
}

std::size_t Document::required_reference(const Json& object, const char* key, const char* target,
                                         std::string_view place) const {
  const std::optional<std::size_t> index = reference(object, key, target, place);
  if (!index) fail(place, fmt::format("{} is missing", key));
  return *index;
}

std::vector<std::size_t> Document::references(const Json& object, const char* key, const char* target,
                                              std::string_view place) const {
  std::vector<std::size_t> out;
  for (const Json& entry : list(object, key, place)) {
    if (!entry.is_number_unsigned() || entry.get<std::size_t>() >= count(target)) {
      fail(place, fmt::format("{}[{}] is not one of the {} {}", key, out.size(), count(target), target));
    }
    out.push_back(entry.get<std::size_t>());
  }
  return out;
}

std::optional<std::vector<double>> Document::numbers(const Json& object, const char* key,
                                                     std::string_view place) const {
  if (!object.contains(key)) return std::nullopt;
  std::vector<double> out;
  for (const Json& entry : list(object, key, place)) {
    if (!entry.is_number()) fail(place, fmt::format("{}[{}] is not a number", key, out.size()));
    out.push_back(entry.get<double>());
  }
  return out;
}

std::string Document::text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void Document::spend(std::size_t count, std::size_t size, std::string_view what) const {
  if (size != 0 && count > budget_ / size) {
    fail(what, fmt::format("needs {} elements of {} bytes, far more than a file of this size should; it is "
                           "damaged, or needs a lower frame rate",
                           count, size));
  }
  budget_ -= count * size;
}

void Document::charge_memory(std::size_t count, std::size_t size, std::string_view what) const {
  const std::size_t most = size == 0 ? 0 : (std::numeric_limits<std::size_t>::max() - taken_) / size;
  need(limits_, count > most ? std::numeric_limits<std::size_t>::max() : taken_ + count * size, 1,
       fmt::format("{}: {}", source_.name(), what));
  taken_ += count * size;
}

void Document::charge(std::size_t count, std::size_t size, std::string_view what) const {
  spend(count, size, what);
  charge_memory(count, size, what);
}

void Document::charge_steps(std::size_t count, std::size_t steps, std::string_view what) const {
  spend(count, steps * bytes_per_step, what);
}

}  // namespace marrow::glb
