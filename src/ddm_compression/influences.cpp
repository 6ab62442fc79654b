// Le et al. 2021, Section 4.2: weights of the second layer per point, a simplex program over nearby virtual bones.
// Differs: at most 28 candidates per point; an influence must gain its price; the same for both objectives.
#include "ddm_compression/influences.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "ddm_compression/few_weights.hpp"

namespace marrow::ddm_compression {
namespace {

constexpr std::size_t points_per_chunk_of_weights = 32;
constexpr std::size_t near_bones = 14;       // bones with the most similar motion, per bone
constexpr std::size_t most_candidates = 28;  // per point

/// T_k^T T_l of all pairs, 4P x 4P.
Matrix gram_of(const Fit& fit, const Run& run) {
  const Index size = fit.transforms.cols(), block = 64;
  Matrix gram(size, size);
  parallel_for(run, std::size_t((size + block - 1) / block), 1, [&](std::size_t begin, std::size_t) {
    const Index first = to_index(begin) * block, count = std::min(block, size - first);
    // Computes the upper triangle only.
    gram.block(0, first, first + count, count).noalias() =
        fit.transforms.leftCols(first + count).transpose() * fit.transforms.middleCols(first, count);
  });
  gram.triangularView<Eigen::StrictlyLower>() = gram.transpose();
  return gram;
}

/// Per bone, the bones that would move its points most like it does, itself first.
std::vector<std::vector<std::uint32_t>> near(const DistinctPoints& points, const Fit& fit, const Matrix& gram,
                                             const Run& run) {
  const std::size_t p = fit.bone_count();
  std::vector<Matrix4> moments(p, Matrix4::Zero());
  for (std::size_t i = 0; i < points.count(); ++i) {
    const Vector4 u = points.rest.col(to_index(i));
    for (const Influence& a : fit.row(i)) moments[a.bone] += a.weight * a.weight * points.mass[i] * u * u.transpose();
  }
  const auto block = [&](std::size_t k, std::size_t l) { return gram.block<4, 4>(4 * to_index(k), 4 * to_index(l)); };
  std::vector<std::vector<std::uint32_t>> out(p);
  parallel_for(run, p, 4, [&](std::size_t begin, std::size_t end) {
    std::vector<double> far(p);
    for (std::size_t k = begin; k < end; ++k) {
      for (std::size_t l = 0; l < p; ++l) {
        const Matrix4 square = block(k, k) - block(k, l) - block(l, k) + block(l, l);
        far[l] = l == k ? -1 : square.cwiseProduct(moments[k]).sum();
      }
      std::vector<std::uint32_t>& order = out[k];
      order.resize(p);
      std::iota(order.begin(), order.end(), 0u);
      const std::size_t count = std::min(near_bones, p);
      const auto nearer = [&](std::uint32_t a, std::uint32_t b) { return far[a] != far[b] ? far[a] < far[b] : a < b; };
      std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(count), order.end(), nearer);
      order.resize(count);
    }
  });
  return out;
}

class PointSolver {
 public:
  PointSolver(const DistinctPoints& points, const Examples& examples, const InfluenceOptions& options,
              const Matrix& gram, const std::vector<std::vector<std::uint32_t>>& near_of, const Fit& before)
      : points_(points),
        examples_(examples),
        options_(options),
        gram_(gram),
        near_(near_of),
        before_(before),
        program_(most_candidates),
        listed_(before.bone_count(), 0) {}

  /// Writes the point's influences; returns its error.
  double solve(std::size_t i, Influence* out, std::uint32_t& count) {
    choose(i);
    fill(i);
    program_.solve(candidates_.size(), before_.most, options_.price);
    const std::vector<double>& weights = program_.weights();
    count = 0;
    double error = 0;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      if (!(weights[k] > 0)) continue;
      out[count++] = {candidates_[k], weights[k]};
      for (std::size_t l = 0; l < candidates_.size(); ++l) {
        error += weights[k] * weights[l] *
                 (program_.quadratic(to_index(k), to_index(l)) - (k == l ? options_.smoothness : 0));
      }
    }
    std::sort(out, out + count, [](const Influence& a, const Influence& b) { return a.bone < b.bone; });
    return std::max(error, 0.0);
  }

 private:
  void list(std::uint32_t bone) {
    if (listed_[bone] == round_ || candidates_.size() == most_candidates) return;
    listed_[bone] = round_;
    candidates_.push_back(bone);
  }

  /// Candidates: the point's own bones, those most similar to its strongest, and its neighbours' bones.
  void choose(std::size_t i) {
    ++round_;
    candidates_.clear();
    const auto row = before_.row(i);
    for (const Influence& a : row) list(a.bone);
    const auto strongest = std::ranges::max_element(row, {}, &Influence::weight);
    for (const std::uint32_t k : near_[strongest->bone]) list(k);
    for (const std::uint32_t l : points_.neighbours(i)) {
      for (const Influence& a : before_.row(l)) list(a.bone);
    }
  }

  /// Quadratic form (T_k u - v)^T (T_l u - v), plus smoothing towards the neighbours.
  void fill(std::size_t i) {
    const Vector4 u = points_.rest.col(to_index(i));
    const auto v = examples_.targets().col(to_index(i));
    const double square = examples_.squares()[i];
    along_.resize(to_index(candidates_.size()));
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      along_[to_index(k)] = u.dot(before_.transform(candidates_[k]).transpose() * v);
    }
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      for (std::size_t l = 0; l <= k; ++l) {
        const auto block = gram_.block<4, 4>(4 * to_index(candidates_[k]), 4 * to_index(candidates_[l]));
        const double value = u.dot(block * u) - along_[to_index(k)] - along_[to_index(l)] + square;
        program_.quadratic(to_index(k), to_index(l)) = program_.quadratic(to_index(l), to_index(k)) = value;
      }
      program_.quadratic(to_index(k), to_index(k)) += options_.smoothness;
      program_.linear[to_index(k)] = options_.smoothness > 0 ? options_.smoothness * around(i, candidates_[k]) : 0;
    }
  }

  double around(std::size_t i, std::uint32_t bone) const {
    const auto ring = points_.neighbours(i);
    double sum = 0;
    for (const std::uint32_t l : ring) {
      for (const Influence& a : before_.row(l)) sum += a.bone == bone ? a.weight : 0;
    }
    return ring.empty() ? 0 : sum / double(ring.size());
  }

  const DistinctPoints& points_;
  const Examples& examples_;
  const InfluenceOptions& options_;
  const Matrix& gram_;
  const std::vector<std::vector<std::uint32_t>>& near_;
  const Fit& before_;
  FewWeights program_;
  std::vector<std::uint32_t> candidates_, listed_;
  std::uint32_t round_ = 0;
  Eigen::VectorXd along_;
};

}  // namespace

void update_influences(const DistinctPoints& points, const Examples& examples, const InfluenceOptions& options,
                       Fit& fit, const Run& run) {
  const Matrix gram = gram_of(fit, run);
  const auto near_of = near(points, fit, gram, run);
  std::vector<Influence> influences(fit.influences.size());
  std::vector<std::uint32_t> counts(points.count());
  parallel_for(run, points.count(), points_per_chunk_of_weights, [&](std::size_t begin, std::size_t end) {
    PointSolver solver(points, examples, options, gram, near_of, fit);
    for (std::size_t i = begin; i < end; ++i) {
      fit.errors[i] = solver.solve(i, influences.data() + i * fit.most, counts[i]);
    }
  });
  fit.influences = std::move(influences);
  fit.counts = std::move(counts);
}

}  // namespace marrow::ddm_compression
