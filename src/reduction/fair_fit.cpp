// Landreneau & Schaefer 2010: weights that keep the Laplacian of weights or of posed positions, with fixed supports.
// Solver (ours): projected conjugate gradients, preconditioned by vertex blocks.
#include "reduction/fair_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"

namespace marrow::reduction {
namespace {

constexpr std::size_t fair_grain = 256;
/// Stops when a round gains less than least_fair_gain of the value; conjugate gradients when the squared residual fell
/// by least_residual.
constexpr double least_fair_gain = 1e-3, least_residual = 1e-6;

/// Minimisation by rounds: conjugate gradients over the free weights, preconditioned per vertex; then negative weights
/// are held at zero, and held ones with negative slope are freed.
class FairFit {
 public:
  FairFit(const Predictions& predictions, const Neighbours& neighbours, const FairOptions& options,
          const lbs::SlotWeights& weights, const Run& run)
      : predictions_(predictions),
        neighbours_(neighbours),
        options_(options),
        weights_(weights),
        run_(run),
        count_(neighbours.offsets.size() - 1),
        slots_(weights.influences),
        width_(predictions.width()),
        values_(count_ * width_),
        laplacian_(count_ * width_),
        partial_((count_ + fair_grain - 1) / fair_grain),
        free_(count_ * slots_),
        inverse_(count_ * slots_ * slots_) {}

  int minimise(std::vector<double>& x);

 private:
  using Vector = std::vector<double>;

  double apply(const Vector& x, bool target, Vector& gradient);
  void choose_free(const Vector& x, const Vector& gradient);
  void precondition();
  struct BlockDesk;
  void fill_block(std::size_t i, BlockDesk& desk) const;
  void invert(std::size_t i, BlockDesk& desk);
  void multiply(const Vector& r, Vector& z) const;
  Vector descend(const Vector& gradient);
  void move(const Vector& x, const Vector& step, double length, Vector& to) const;
  std::uint32_t bone(std::size_t i, std::size_t a) const { return weights_.bones[i * slots_ + a]; }
  double degree(std::size_t i) const { return double(neighbours_.of(i).size()); }

  const Predictions& predictions_;
  const Neighbours& neighbours_;
  const FairOptions& options_;
  const lbs::SlotWeights& weights_;
  const Run& run_;
  std::size_t count_, slots_, width_;
  Vector values_, laplacian_, partial_;
  std::vector<char> free_;  ///< [vertex][slot]: whether the weight is free
  Vector inverse_;          ///< [vertex][slot][slot]: inverse blocks for directions with sum 0 in the free slots
};

/// With e = A x (minus the target, if `target`): gradient = A^T (L^T L + anchor) e. Returns e^T (L^T L + anchor) e.
double FairFit::apply(const Vector& x, bool target, Vector& gradient) {
  const std::size_t w = width_;
  parallel_for(run_, count_, fair_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double* row = values_.data() + i * w;
      std::fill_n(row, w, 0.0);
      for (std::size_t a = 0; a < weights_.used[i]; ++a) {
        if (x[i * slots_ + a] != 0) predictions_.add(i, bone(i, a), x[i * slots_ + a], row);
      }
      if (target) predictions_.subtract_target(i, row);
    }
  });
  parallel_for(run_, count_, fair_grain, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double* own = values_.data() + i * w;
      double* row = laplacian_.data() + i * w;
      const double share = degree(i) > 0 ? 1 / degree(i) : 0;
      for (std::size_t q = 0; q < w; ++q) row[q] = share > 0 ? own[q] : 0;
      for (const std::uint32_t l : neighbours_.of(i)) {
        const double* other = values_.data() + std::size_t(l) * w;
        for (std::size_t q = 0; q < w; ++q) row[q] -= share * other[q];
      }
      for (std::size_t q = 0; q < w; ++q) sum += row[q] * row[q] + options_.anchor * own[q] * own[q];
    }
    partial_[begin / fair_grain] = sum;
  });
  parallel_for(run_, count_, fair_grain, [&](std::size_t begin, std::size_t end) {
    Vector row(w);
    for (std::size_t i = begin; i < end; ++i) {
      const double *own = values_.data() + i * w, *from = laplacian_.data() + i * w;
      for (std::size_t q = 0; q < w; ++q) row[q] = from[q] + options_.anchor * own[q];
      for (const std::uint32_t l : neighbours_.of(i)) {
        const double* other = laplacian_.data() + std::size_t(l) * w;
        const double share = 1 / degree(l);
        for (std::size_t q = 0; q < w; ++q) row[q] -= share * other[q];
      }
      for (std::size_t a = 0; a < weights_.used[i]; ++a) {
        gradient[i * slots_ + a] = predictions_.dot(i, bone(i, a), row.data());
      }
    }
  });
  return std::accumulate(partial_.begin(), partial_.end(), 0.0);
}

/// Frees positive weights, and those at zero whose slope is below the vertex's mean slope.
void FairFit::choose_free(const Vector& x, const Vector& gradient) {
  for (std::size_t i = 0; i < count_; ++i) {
    double level = 0;
    for (std::size_t a = 0; a < weights_.used[i]; ++a) level += x[i * slots_ + a] * gradient[i * slots_ + a];
    for (std::size_t a = 0; a < weights_.used[i]; ++a) {
      const std::size_t slot = i * slots_ + a;
      free_[slot] = !options_.convex || x[slot] > 0 || gradient[slot] < level;
    }
  }
}

/// Buffers to invert the block of one vertex; one per chunk.
struct FairFit::BlockDesk {
  BlockDesk(std::size_t slots, std::size_t width) : rows(slots * width), factor(Eigen::Index(slots)) {
    const auto size = Eigen::Index(slots);
    d.resize(size, size);
    ones.resize(size);
    sums.resize(size);
  }
  Vector rows;  ///< predictions minus target, slot by slot
  Eigen::MatrixXd d;
  Eigen::VectorXd ones, sums;  ///< 1 in free slots, 0 in others; D^-1 of that
  Eigen::LDLT<Eigen::MatrixXd> factor;
};

/// Block of vertex i of the normal matrix; held slots are rows of the identity.
void FairFit::fill_block(std::size_t i, BlockDesk& desk) const {
  const std::size_t n = weights_.used[i];
  double scale = options_.anchor + (degree(i) > 0 ? 1 : 0), trace = 0;
  for (const std::uint32_t l : neighbours_.of(i)) scale += 1 / (degree(l) * degree(l));
  std::fill(desk.rows.begin(), desk.rows.end(), 0.0);
  desk.d.setIdentity();
  desk.ones.setZero();
  for (std::size_t a = 0; a < n; ++a) {
    if (!free_[i * slots_ + a]) continue;
    double* first = desk.rows.data() + a * width_;
    predictions_.add(i, bone(i, a), 1, first);
    predictions_.subtract_target(i, first);
    const auto row = Eigen::Index(a);
    desk.ones[row] = 1;
    for (std::size_t b = 0; b <= a; ++b) {
      if (!free_[i * slots_ + b]) continue;
      const double dot = scale * std::inner_product(first, first + width_, desk.rows.data() + b * width_, 0.0);
      desk.d(row, Eigen::Index(b)) = desk.d(Eigen::Index(b), row) = dot;
      if (a == b) trace += dot;
    }
  }
  desk.d.diagonal() += (1e-6 * trace + 1e-30) * desk.ones;
}

/// Inverse of the block for directions with sum 0: D^-1 - D^-1 1 1^T D^-1 / (1^T D^-1 1). Zero in held slots.
void FairFit::invert(std::size_t i, BlockDesk& desk) {
  fill_block(i, desk);
  desk.factor.compute(desk.d);
  desk.d.setIdentity();
  desk.factor.solveInPlace(desk.d);
  desk.sums.noalias() = desk.d * desk.ones;
  const double total = desk.ones.dot(desk.sums);
  for (std::size_t a = 0; a < slots_; ++a) {
    for (std::size_t b = 0; b < slots_; ++b) {
      const auto r = Eigen::Index(a), c = Eigen::Index(b);
      const bool both = desk.ones[r] != 0 && desk.ones[c] != 0 && total > 0;
      inverse_[(i * slots_ + a) * slots_ + b] = both ? desk.d(r, c) - desk.sums[r] * desk.sums[c] / total : 0;
    }
  }
}

void FairFit::precondition() {
  parallel_for(run_, count_, fair_grain, [&](std::size_t begin, std::size_t end) {
    BlockDesk desk(slots_, width_);
    for (std::size_t i = begin; i < end; ++i) invert(i, desk);
  });
}

void FairFit::multiply(const Vector& r, Vector& z) const {
  parallel_for(run_, count_, 16 * fair_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t slot = begin * slots_; slot < end * slots_; ++slot) {
      const double* row = inverse_.data() + slot * slots_;
      const double* from = r.data() + slot / slots_ * slots_;
      z[slot] = std::inner_product(row, row + slots_, from, 0.0);
    }
  });
}

/// Step towards the minimum over the free weights without signs, within the allowed iterations.
FairFit::Vector FairFit::descend(const Vector& gradient) {
  const std::size_t size = gradient.size();
  Vector step(size), r(size), z(size), image(size);
  for (std::size_t slot = 0; slot < size; ++slot) r[slot] = -gradient[slot];
  multiply(r, z);
  Vector p = z;
  double now = std::inner_product(r.begin(), r.end(), z.begin(), 0.0);
  const double enough = least_residual * now;
  for (int slot = 0; slot < options_.iterations && now > enough; ++slot) {
    const double curvature = apply(p, false, image);
    if (!(curvature > 0)) break;
    const double length = now / curvature;
    for (std::size_t e = 0; e < size; ++e) step[e] += length * p[e];
    for (std::size_t e = 0; e < size; ++e) r[e] -= length * image[e];
    multiply(r, z);
    const double next = std::inner_product(r.begin(), r.end(), z.begin(), 0.0);
    for (std::size_t e = 0; e < size; ++e) p[e] = z[e] + next / now * p[e];
    now = next;
  }
  return step;
}

/// x + length * step made feasible: clamps negative weights to zero and normalises.
void FairFit::move(const Vector& x, const Vector& step, double length, Vector& to) const {
  for (std::size_t i = 0; i < count_; ++i) {
    double sum = 0;
    for (std::size_t slot = i * slots_; slot < i * slots_ + weights_.used[i]; ++slot) {
      to[slot] = x[slot] + length * step[slot];
      if (options_.convex) to[slot] = std::max(0.0, to[slot]);
      sum += to[slot];
    }
    for (std::size_t slot = i * slots_; slot < i * slots_ + weights_.used[i]; ++slot) to[slot] /= sum;
  }
}

int FairFit::minimise(std::vector<double>& x) {
  Vector gradient(count_ * slots_), next(count_ * slots_), next_gradient(count_ * slots_);
  double value = apply(x, true, gradient);
  for (int round = 1; round <= options_.rounds; ++round) {
    run_.check_stop("reduce");
    choose_free(x, gradient);
    precondition();
    const Vector step = descend(gradient);
    double length = 1, reached = value;
    for (int half = 0; half < 8; ++half, length /= 2) {
      move(x, step, length, next);
      reached = apply(next, true, next_gradient);
      if (reached < value) break;
    }
    if (!(reached < value)) return round;
    const bool last = reached > value * (1 - least_fair_gain);
    std::swap(x, next);
    std::swap(gradient, next_gradient);
    value = reached;
    run_.report({.stage = "keeping Laplacians", .fraction = double(round) / options_.rounds, .iteration = round});
    if (last) return round;
  }
  return options_.rounds;
}

}  // namespace

int fair_fit(const Predictions& predictions, const Neighbours& neighbours, const FairOptions& options,
             lbs::SlotWeights& weights, const Run& run) {
  const std::size_t size = (neighbours.offsets.size() - 1) * weights.influences;
  std::vector<double> x(weights.values.begin(), weights.values.begin() + std::ptrdiff_t(size));
  const int rounds = FairFit(predictions, neighbours, options, weights, run).minimise(x);
  std::ranges::copy(x, weights.values.begin());
  return rounds;
}

}  // namespace marrow::reduction
