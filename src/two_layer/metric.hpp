#pragma once

#include <memory>
#include <vector>

#include "core/neighbours.hpp"
#include "two_layer/atom_search.hpp"

namespace marrow::two_layer {

/// Candidate atoms minus the vertex's weights, transposed: entry (bone j, candidate c) is values[j * stride + c].
/// Columns from `count` on are ignored.
struct Differences {
  static constexpr std::size_t stride = 48;  ///< most candidates
  std::size_t count = 0;
  std::vector<float> values;
};

/// Symmetric, count x count, row stride Differences::stride.
using Gram = std::vector<float>;

/// Buffers for computing Gram matrices, kept by the caller.
struct GramScratch {
  std::vector<float> form;    ///< #bones x #bones
  std::vector<float> turned;  ///< the form times the differences, same layout
};

/// The objective. The error of a vertex is quadratic in its blended weights x: |x - w|^2 (Eq. 1a), or the squared
/// distance to example poses (Eq. 7b), without a factor.
class Metric {
 public:
  virtual ~Metric() = default;
  /// Gram matrix of vertex i: for coefficients a with sum 1, a^T gram a is its error minus that of w.
  virtual void gram(std::size_t i, const Differences& differences, GramScratch& scratch, Gram& result) const = 0;
  /// A search for atoms by this metric, valid while weights and dictionary do not change.
  virtual std::unique_ptr<AtomSearch> search(const DenseWeights& weights, const Dictionary& dictionary) const = 0;
};

/// What the layers are for, and how it is measured.
struct Given {
  const DenseWeights& weights;
  const Metric& metric;
  const Neighbours& around;  ///< vertices that learn from each other
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
