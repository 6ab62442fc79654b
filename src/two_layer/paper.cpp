// Le & Deng 2013, Algorithms 1 and 2 with Eqs. (2) and (4) to (6), as printed, for comparison.
// Differs: the dictionary doubles instead of Eq. (3); a stack, not recursion; nearly cancelling atoms are shifted.
#include "two_layer/paper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "two_layer/atoms.hpp"

namespace marrow::two_layer {
namespace {

/// A pair of atoms for a vertex, with its best coefficients and error (Eq. 6).
struct PairFit {
  std::uint32_t r = 0, s = 0;
  double t = 1;  ///< coefficient of r; that of s is 1 - t
  double error = INFINITY;
};

class Printed {
 public:
  Printed(const DenseWeights& weights, const Neighbours& neighbours, std::size_t cardinality, const Run& run)
      : weights_(weights), neighbours_(neighbours), cardinality_(cardinality), run_(run), fits_(weights.vertices) {
    dictionary_.bones = weights.bones;
  }

  Factors solve(std::size_t atoms) {
    start();
    if (atoms <= dictionary_.atoms()) optimise();
    while (dictionary_.atoms() < atoms) {
      const std::size_t more = std::min(dictionary_.atoms(), atoms - dictionary_.atoms());
      for (std::size_t added = 0; added < more; ++added) add_worst();
      optimise();
      run_.check_stop("compress");
      run_.report({.stage = "adding virtual bones",
                   .fraction = double(dictionary_.atoms()) / double(std::max(atoms, dictionary_.atoms()))});
    }
    cut_unused_atoms();
    return {dictionary_, coding()};
  }

 private:
  void optimise() {
    for (int round = 0; round < 3; ++round) {
      update_dictionary();
      for (std::uint32_t i = 0; i < fits_.size(); ++i) update_from(i, fits_[i].r, fits_[i].s);
    }
  }

  /// Cuts atoms that the update skipped because vertices hardly use them.
  void cut_unused_atoms() {
    std::vector<double> values(weights_.bones);
    for (std::size_t k = 0; k < dictionary_.atoms(); ++k) {
      float* d = dictionary_.row(k);
      if (std::count_if(d, d + values.size(), [](float v) { return v != 0; }) <= std::ptrdiff_t(cardinality_)) continue;
      std::copy_n(d, values.size(), values.begin());
      keep_largest(values);
      std::transform(values.begin(), values.end(), d, [](double v) { return float(v); });
    }
  }

  void add_atom(std::size_t vertex) {
    dictionary_.values.insert(dictionary_.values.end(), weights_.row(vertex), weights_.row(vertex) + weights_.bones);
  }

  double dot(const float* a, const float* b) const { return std::inner_product(a, a + weights_.bones, b, 0.0); }

  /// Algorithm 1, lines 1 and 2.
  void start() {
    std::size_t first = 0, second = 0;
    std::vector<double> norms(weights_.vertices), products(weights_.vertices);
    for (std::size_t i = 0; i < norms.size(); ++i) norms[i] = dot(weights_.row(i), weights_.row(i));
    first = std::size_t(std::max_element(norms.begin(), norms.end()) - norms.begin());
    for (std::size_t i = 0; i < norms.size(); ++i) products[i] = dot(weights_.row(i), weights_.row(first));
    second = std::size_t(std::min_element(products.begin(), products.end()) - products.begin());
    add_atom(first);
    add_atom(second);
    for (std::uint32_t i = 0; i < fits_.size(); ++i) fits_[i] = fit(i, 0, 1);
  }

  PairFit fit(std::uint32_t i, std::uint32_t r, std::uint32_t s) const {
    const float *w = weights_.row(i), *a = dictionary_.row(r), *b = dictionary_.row(s);
    double along = 0, length = 0, left = 0;
    for (std::size_t j = 0; j < weights_.bones; ++j) {
      const double d = double(a[j]) - b[j], e = double(w[j]) - b[j];
      along += d * e;
      length += d * d;
      left += e * e;
    }
    const double t = length > 1e-14 ? along / length : 0;
    return {r, s, t, std::max(left - t * along, 0.0)};
  }

  /// Algorithm 1, lines 5 to 7.
  void add_worst() {
    const auto worst = std::max_element(fits_.begin(), fits_.end(),
                                        [](const PairFit& a, const PairFit& b) { return a.error < b.error; });
    const auto p = std::uint32_t(worst - fits_.begin());
    add_atom(p);
    update_from(p, std::uint32_t(dictionary_.atoms() - 1), fits_[p].r);
  }

  /// Takes the pair if it improves the vertex by more than rounding.
  bool improve(std::uint32_t i, std::uint32_t r, std::uint32_t s) {
    if (r == s) return false;
    const PairFit found = fit(i, r, s);
    if (!(found.error < fits_[i].error * (1 - 1e-6) - 1e-14)) return false;
    fits_[i] = found;
    return true;
  }

  /// Algorithm 2.
  void update_from(std::uint32_t i, std::uint32_t r, std::uint32_t s) {
    if (!improve(i, r, s)) return;
    stack_.assign(1, {i, 0});
    while (!stack_.empty()) {
      const std::uint32_t at = stack_.back().vertex;
      const auto around = neighbours_.of(at);
      if (stack_.back().next == around.size()) {
        stack_.pop_back();
        continue;
      }
      const std::uint32_t next = around[stack_.back().next++];
      const std::array<std::uint32_t, 4> four = {fits_[at].r, fits_[at].s, fits_[next].r, fits_[next].s};
      PairFit best;
      for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = a + 1; b < 4; ++b) {
          if (four[a] == four[b]) continue;
          if (const PairFit candidate = fit(next, four[a], four[b]); candidate.error < best.error) best = candidate;
        }
      }
      if (improve(next, best.r, best.s)) stack_.push_back({next, 0});
    }
  }

  Coding coding() const {
    Coding result(fits_.size());
    for (std::size_t i = 0; i < fits_.size(); ++i) {
      result[i] = {.count = 2, .atoms = {fits_[i].r, fits_[i].s}, .values = {float(fits_[i].t), float(1 - fits_[i].t)}};
    }
    return result;
  }

  /// Eq. (5), then the `cardinality` largest values, normalised; then recomputes E_i.
  void update_dictionary() {
    const std::size_t bones = weights_.bones;
    const Coding codes = coding();
    const Users users = users_of(codes, dictionary_.atoms());
    std::vector<float> residuals = residuals_of(weights_, dictionary_, codes, run_);
    std::vector<double> values(bones);
    std::vector<float> change(bones);
    for (std::size_t k = 0; k < dictionary_.atoms(); ++k) {
      double phi = 0;
      std::fill(values.begin(), values.end(), 0.0);
      for (const auto& [vertex, a] : users.of(k)) {
        phi += double(a) * a;
        for (std::size_t j = 0; j < bones; ++j) values[j] += double(a) * residuals[vertex * bones + j];
      }
      if (!(phi > 1e-10)) continue;
      float* d = dictionary_.row(k);
      for (std::size_t j = 0; j < bones; ++j) values[j] = d[j] - values[j] / phi;
      keep_largest(values);
      for (std::size_t j = 0; j < bones; ++j) {
        change[j] = float(values[j]) - d[j];
        d[j] = float(values[j]);
      }
      for (const auto& [vertex, a] : users.of(k)) {
        for (std::size_t j = 0; j < bones; ++j) residuals[vertex * bones + j] += a * change[j];
      }
    }
    for (std::size_t i = 0; i < fits_.size(); ++i) {
      const float* r = residuals.data() + i * bones;
      fits_[i].error = dot(r, r);
    }
  }

  /// Largest by magnitude; ties by index.
  void keep_largest(std::vector<double>& values) const {
    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto larger = [&](std::uint32_t a, std::uint32_t b) {
      const double j = std::abs(values[a]), y = std::abs(values[b]);
      return j != y ? j > y : a < b;
    };
    const std::size_t kept = std::min(cardinality_, values.size());
    std::nth_element(order.begin(), order.begin() + std::ptrdiff_t(kept - 1), order.end(), larger);
    for (std::size_t e = kept; e < order.size(); ++e) values[order[e]] = 0;
    double sum = 0, size = 0;
    for (const double v : values) {
      sum += v;
      size += std::abs(v);
    }
    if (std::abs(sum) > 1e-3 * size) {
      for (double& v : values) v /= sum;
    } else {
      // The sum nearly cancels: distribute the missing rest evenly instead of dividing.
      for (std::size_t e = 0; e < kept; ++e) values[order[e]] += (1 - sum) / double(kept);
    }
  }

  struct Visit {
    std::uint32_t vertex, next;
  };

  const DenseWeights& weights_;
  const Neighbours& neighbours_;
  std::size_t cardinality_;
  const Run& run_;
  Dictionary dictionary_;
  std::vector<PairFit> fits_;
  std::vector<Visit> stack_;
};

}  // namespace

Factors factorise_as_paper(const DenseWeights& weights, const Neighbours& neighbours, std::size_t atoms,
                           std::size_t cardinality, const Run& run) {
  return Printed(weights, neighbours, cardinality, run).solve(atoms);
}

}  // namespace marrow::two_layer
