#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "marrow/mesh.hpp"

namespace marrow {

/// The umbrella operator L of a mesh: a value minus the mean over the neighbours (vertices that share an edge).
class Umbrella {
 public:
  explicit Umbrella(const Mesh& mesh);

  /// Sum over the vertices of |(L e)_i|^2; vertices without neighbours contribute 0.
  double squared_norm(std::span<const std::array<double, 3>> e) const;

 private:
  std::vector<std::size_t> offsets_;  ///< #vertices + 1
  std::vector<std::uint32_t> neighbours_;
};

}  // namespace marrow
