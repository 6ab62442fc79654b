#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/files.hpp"

namespace marrow::testing {

/// Puts a GLB together piece by piece. `json` is open to be changed, or broken, by the test.
class GlbBuilder {
 public:
  using Json = nlohmann::json;

  Json json = {{"asset", {{"version", "2.0"}}}, {"scene", 0}, {"scenes", {{{"nodes", Json::array()}}}}};
  std::string binary;

  template <class T>
  std::size_t add_view(const std::vector<T>& values) {
    const std::size_t offset = binary.size();
    binary.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    binary.resize((binary.size() + 3) / 4 * 4, '\0');
    return add("bufferViews", {{"buffer", 0}, {"byteOffset", offset}, {"byteLength", values.size() * sizeof(T)}});
  }

  template <class T>
  std::size_t add_accessor(const std::vector<T>& values, std::size_t width, bool normalized = false) {
    Json accessor{{"bufferView", add_view(values)},
                  {"componentType", component<T>()},
                  {"count", values.size() / width},
                  {"type", width == 16  ? "MAT4"
                           : width == 1 ? "SCALAR"
                                        : "VEC" + std::to_string(width)}};
    if (normalized) accessor["normalized"] = true;
    return add("accessors", std::move(accessor));
  }
  std::size_t add_floats(const std::vector<float>& values, std::size_t width) { return add_accessor(values, width); }

  /// Appends to a top-level list; returns the index.
  std::size_t add(const char* list, Json object) {
    json[list].push_back(std::move(object));
    return json[list].size() - 1;
  }

  /// A node at the root of the scene, or below `parent`.
  std::size_t add_node(Json node, int parent = -1) {
    const std::size_t index = add("nodes", std::move(node));
    if (parent < 0) {
      json["scenes"][0]["nodes"].push_back(index);
    } else {
      json["nodes"][std::size_t(parent)]["children"].push_back(index);
    }
    return index;
  }

  /// Adds a channel to animation `a`, which is made where it is new.
  void add_channel(std::size_t a, std::size_t node, const char* path, const std::vector<float>& times,
                   const std::vector<float>& values, const char* interpolation = "LINEAR") {
    const std::size_t width = std::string(path) == "rotation" ? 4 : std::string(path) == "weights" ? 1 : 3;
    Json& animation = json["animations"][a];
    animation["samplers"].push_back(
        {{"input", add_floats(times, 1)}, {"output", add_floats(values, width)}, {"interpolation", interpolation}});
    animation["channels"].push_back(
        {{"sampler", animation["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }

  std::string bytes() {
    json["buffers"] = {{{"byteLength", binary.size()}}};
    return pack(json.dump(), binary);
  }

  std::filesystem::path save(const char* name = "file.glb") {
    const auto file = output_folder() / name;
    write_bytes(file, bytes());
    return file;
  }

  /// A text that ends with zeros is filled up with them, otherwise with spaces as it should be.
  static std::string pack(std::string text, const std::string& data) {
    text.resize((text.size() + 3) / 4 * 4, text.ends_with('\0') ? '\0' : ' ');
    std::string out = "glTF";
    put(out, 2);
    put(out, 12 + 8 + text.size() + 8 + data.size());
    put(out, text.size());
    out += "JSON" + text;
    put(out, data.size());
    out += std::string("BIN\0", 4) + data;
    return out;
  }

 private:
  static void put(std::string& out, std::size_t value) {
    const auto word = std::uint32_t(value);
    out.append(reinterpret_cast<const char*>(&word), sizeof word);
  }

  template <class T>
  static int component() {
    if constexpr (std::is_same_v<T, float>) return 5126;
    if constexpr (std::is_same_v<T, std::uint32_t>) return 5125;
    if constexpr (std::is_same_v<T, std::uint16_t>) return 5123;
    if constexpr (std::is_same_v<T, std::int16_t>) return 5122;
    if constexpr (std::is_same_v<T, std::uint8_t>) return 5121;
    if constexpr (std::is_same_v<T, std::int8_t>) return 5120;
  }
};

/// A node with one triangle (0 0 0), (1 0 0), (0 1 0).
inline GlbBuilder triangle_glb() {
  GlbBuilder glb;
  const std::size_t position = glb.add_floats({0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  glb.add("meshes", {{"primitives", {{{"attributes", {{"POSITION", position}}}}}}});
  glb.add_node({{"mesh", 0}});
  return glb;
}

/// A strip of two quads along y (6 vertices at y = 0, 1, 2; x = 0, 1) on two joints: node 1 "root" at the origin and
/// node 2 "tip", its child, at y = 1. The lower two vertices follow the root, the upper two the tip, the middle both.
inline GlbBuilder skinned_glb() {
  GlbBuilder glb;
  const std::size_t position = glb.add_floats({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0}, 3);
  const std::size_t indices = glb.add_accessor<std::uint16_t>({0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4}, 1);
  const std::size_t joints =
      glb.add_accessor<std::uint8_t>({0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, 4);
  const std::size_t weights =
      glb.add_floats({1, 0, 0, 0, 1, 0, 0, 0, .5, .5, 0, 0, .5, .5, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, 4);
  glb.add("meshes", {{"primitives",
                      {{{"attributes", {{"POSITION", position}, {"JOINTS_0", joints}, {"WEIGHTS_0", weights}}},
                        {"indices", indices}}}}});
  glb.add_node({{"mesh", 0}, {"skin", 0}});
  glb.add_node({{"name", "root"}});
  glb.add_node({{"name", "tip"}, {"translation", {0, 1, 0}}}, 1);
  const std::size_t inverse_bind = glb.add_floats(
      {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1}, 16);
  glb.add("skins", {{"joints", {1, 2}}, {"inverseBindMatrices", inverse_bind}});
  return glb;
}

}  // namespace marrow::testing
