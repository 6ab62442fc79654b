#pragma once

#include <Eigen/Core>

#include "two_layer/coding.hpp"

namespace marrow::two_layer {

/// Atoms from anywhere in the dictionary that may suit a vertex: those nearest to its weights, and for some of these
/// the best partner. Found from products in single precision, so they are proposals to be looked at.
class FarAtoms {
 public:
  static constexpr std::size_t block = 32;  ///< vertices at a time

  FarAtoms(const DenseWeights& weights, const Dictionary& dictionary, bool used);
  /// Loads what of() needs for vertex i, together with the others of its block in [begin, end).
  void load_block_of(std::size_t i, std::size_t begin, std::size_t end);
  std::span<const std::uint32_t> of(std::size_t i) const;

 private:
  void load(std::size_t begin, std::size_t end);
  void find_partners(std::size_t i, const float* distances, std::uint32_t* nearest, std::uint32_t* partners);

  const DenseWeights& weights_;
  const Dictionary& dictionary_;
  std::size_t nearest_ = 0;
  std::size_t partnered_ = 0;
  std::size_t begin_ = 0, end_ = 0;   ///< vertices that are loaded
  std::vector<float> norms_;          ///< #atoms
  Eigen::MatrixXf products_;          ///< atoms x vertices of the block
  Eigen::MatrixXf partner_products_;  ///< atoms x partnered
  std::vector<std::uint32_t> order_;  ///< #atoms
  std::vector<std::uint32_t> found_;  ///< block x (nearest + partnered)
};

}  // namespace marrow::two_layer
