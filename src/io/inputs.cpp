#include "io/inputs.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <system_error>

#include "io/natural_order.hpp"
#include "marrow/error.hpp"

namespace marrow {
namespace {

namespace fs = std::filesystem;

std::optional<InputKind> kind_of(const fs::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; });
  if (extension == ".obj") return InputKind::obj;
  if (extension == ".pc2") return InputKind::pc2;
  if (extension == ".glb" || extension == ".gltf") return InputKind::gltf;
  return std::nullopt;
}

const char* name_of(InputKind kind) {
  switch (kind) {
    case InputKind::obj:
      return "OBJ";
    case InputKind::pc2:
      return "PC2";
    case InputKind::gltf:
      return "glTF";
  }
  return "";
}

[[noreturn]] void fail(const std::string& where, const std::string& message) {
  throw Error(ErrorCode::bad_file, where, message);
}

bool is_readable_kind(const fs::path& file) {
  std::error_code ignored;
  return kind_of(file).has_value() && fs::is_regular_file(file, ignored);
}

void take_folder(const std::string& folder, std::vector<fs::path>& files) {
  const std::size_t before = files.size();
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    // Hidden files are metadata of some systems ("._frame_1.obj").
    const bool hidden = entry->path().filename().string().starts_with('.');
    if (!hidden && is_readable_kind(entry->path())) files.push_back(entry->path());
  }
  if (error) fail(folder, fmt::format("the folder cannot be read ({})", error.message()));
  if (files.size() == before) {
    fail(folder,
         "the folder holds no OBJ files (nor one PC2, GLB or glTF file); give the folder that holds the frames");
  }
}

void take_pattern(const std::string& pattern, std::vector<fs::path>& files) {
  struct Matches : glob_t {
    Matches() : glob_t{} {}
    Matches(const Matches&) = delete;
    Matches& operator=(const Matches&) = delete;
    ~Matches() { globfree(this); }
  } matches;
  const int status = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &matches);
  if (status != 0 && status != GLOB_NOMATCH) fail(pattern, "the folders of this pattern cannot be searched");
  const std::size_t before = files.size();
  for (std::size_t e = 0; e < matches.gl_pathc; ++e) {
    if (is_readable_kind(matches.gl_pathv[e])) files.emplace_back(matches.gl_pathv[e]);
  }
  if (files.size() == before) {
    fail(pattern,
         fmt::format("the pattern matches {} names, none of them an OBJ, PC2, GLB or glTF file", matches.gl_pathc));
  }
}

void take(const std::string& input, std::vector<fs::path>& files) {
  std::error_code ignored;
  const fs::file_status status = fs::status(input, ignored);
  // An existing name is taken literally, even if it contains brackets.
  if (fs::is_directory(status)) {
    take_folder(input, files);
  } else if (fs::exists(status)) {
    if (!kind_of(input)) fail(input, "has no known extension; .obj, .pc2, .glb and .gltf files can be read");
    files.emplace_back(input);
  } else if (input.find_first_of("*?[") != input.npos) {
    take_pattern(input, files);
  } else {
    fail(input,
         "is not there; give an OBJ, PC2, GLB or glTF file, a folder of OBJ files, or a pattern in quotes such "
         "as \"frames/*.obj\"");
  }
}

void check_one_kind(const std::vector<fs::path>& files) {
  const InputKind kind = *kind_of(files.front());
  for (const fs::path& file : files) {
    if (kind_of(file) != kind) {
      fail(file.string(), fmt::format("is a {} file, but {} is {}: give files of one kind, such as \"FOLDER/*.obj\". "
                                      "(The OBJ with the rest pose of a PC2 is named by the option rest, --rest)",
                                      name_of(*kind_of(file)), files.front().string(), name_of(kind)));
    }
  }
  if (kind != InputKind::obj && files.size() > 1) {
    fail(files[1].string(), fmt::format("is one of {} {} files; give one of them alone", files.size(), name_of(kind)));
  }
}

void check_not_empty(const fs::path& file) {
  std::error_code error;
  const bool regular = fs::is_regular_file(file, error);
  const std::uintmax_t size = regular ? fs::file_size(file, error) : 0;
  if (!regular || error) fail(file.string(), "is not an ordinary file that can be read");
  if (size == 0) fail(file.string(), "is empty (0 bytes); was it written completely?");
}

}  // namespace

Inputs resolve_inputs(const std::vector<std::string>& inputs) {
  if (inputs.empty()) {
    throw Error(ErrorCode::bad_request, "inputs", "no input was given; name an OBJ, PC2, GLB or glTF file or a folder");
  }
  std::vector<fs::path> files;
  for (const std::string& input : inputs) take(input, files);
  std::ranges::sort(files, [](const fs::path& a, const fs::path& b) { return natural_less(a.native(), b.native()); });
  check_one_kind(files);
  std::ranges::for_each(files, check_not_empty);
  return {*kind_of(files.front()), std::move(files)};
}

}  // namespace marrow
