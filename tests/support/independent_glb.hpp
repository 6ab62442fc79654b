#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace marrow::testing {

/// A skinned GLB, read and played from the words of the glTF 2.0 specification. Shares no code with the library: it is
/// there to contradict it. Any surprise throws std::runtime_error.
class IndependentGlb {
 public:
  using Point = std::array<double, 3>;

  explicit IndependentGlb(const std::filesystem::path& file);

  const nlohmann::json& document() const { return document_; }
  const nlohmann::json& primitive() const { return document_.at("meshes").at(0).at("primitives").at(0); }
  std::size_t clips() const { return document_.contains("animations") ? document_["animations"].size() : 0; }
  /// Key times of a clip; throws unless all its channels share them.
  const std::vector<double>& times(std::size_t clip) const;
  /// All numbers of an accessor, one element after the other.
  const std::vector<double>& numbers(std::size_t accessor) const { return numbers_.at(accessor); }
  /// Numbers of a vertex attribute; empty where the primitive does not have it.
  const std::vector<double>& attribute(const std::string& name) const;
  std::size_t vertices() const;

  /// Where the vertices are at a time of a clip.
  std::vector<Point> play(std::size_t clip, double time) const;
  /// Where they are without any animation.
  std::vector<Point> rest() const;

 private:
  using Matrix = std::array<double, 16>;  // columns
  struct Pose {
    std::vector<std::array<double, 3>> translation, scale;
    std::vector<std::array<double, 4>> rotation;
  };

  Pose default_pose() const;
  std::vector<Matrix> joint_matrices(const Pose& pose) const;
  std::vector<Point> skin(const Pose& pose) const;

  nlohmann::json document_;
  std::vector<std::vector<double>> numbers_;  // per accessor
};

}  // namespace marrow::testing
