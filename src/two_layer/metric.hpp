#pragma once

#include <memory>
#include <vector>

#include "two_layer/atom_search.hpp"

namespace marrow::two_layer {

/// Rows of candidate atoms minus the vertex's own weights, transposed: entry (bone x, candidate c) is
/// values[x * stride + c]. What is beyond `count` is not looked at.
struct Differences {
  static constexpr std::size_t stride = 48;  ///< the most candidates
  std::size_t count = 0;
  std::vector<float> values;
};

/// Symmetric, count x count, row stride Differences::stride.
using Gram = std::vector<float>;

/// Room for what is computed on the way to a Gram matrix: kept by the caller, so that it is not made anew each time.
struct GramScratch {
  std::vector<float> form;    ///< #bones x #bones
  std::vector<float> turned;  ///< the form times the differences, laid out as these
};

/// What is minimised. The error of a vertex is a quadratic function of its blended weights x:
/// |x - w|^2 (Eq. 1a) or, with example poses, the squared distance to them (Eq. 7b), both without a factor.
class Metric {
 public:
  virtual ~Metric() = default;
  /// Such that the error of vertex i for coefficients a that sum to 1 is a^T gram a, beyond the error of w.
  virtual void gram(std::size_t i, const Differences& differences, GramScratch& scratch, Gram& result) const = 0;
  /// Finds atoms that may suit a vertex by this metric, as long as weights and dictionary stay as they are.
  virtual std::unique_ptr<AtomSearch> search(const DenseWeights& weights, const Dictionary& dictionary) const = 0;
};

/// Eq. 1a.
class WeightMetric final : public Metric {
 public:
  void gram(std::size_t i, const Differences& differences, GramScratch& scratch, Gram& result) const override;
  std::unique_ptr<AtomSearch> search(const DenseWeights& weights, const Dictionary& dictionary) const override;
};

/// result += left^T right for bones x stride matrices.
void add_product(std::size_t bones, std::size_t count, const float* left, const float* right, float* result);

}  // namespace marrow::two_layer
