// Weights of LBS for fixed bones (SSDR section 3.2), by exact small simplex QPs with a greedy and exchange search for
// the support. Built once per instruction-set level with MARROW_LEVEL set; see src/CMakeLists.txt. SIMD lanes never
// meet in a sum, so every level gives the same bits.
#include "lbs/kernels/weights.hpp"

#include "lbs/kernels/vector.hpp"

namespace marrow::kernels::MARROW_LEVEL {
namespace {

/// The ten products of (x, y, z, 1) with itself; off-diagonal ones doubled, so that p^T G p = <monomials, upper G>.
void monomials(double x, double y, double z, double out[10]) {
  out[0] = x * x;
  out[1] = 2 * x * y;
  out[2] = 2 * x * z;
  out[3] = 2 * x;
  out[4] = y * y;
  out[5] = 2 * y * z;
  out[6] = 2 * y;
  out[7] = z * z;
  out[8] = 2 * z;
  out[9] = 1;
}

/// b[bone][lane] = p~^T M_j^T v, from the reduced coordinates.
void linear_terms(const WeightProblem& problem, const double* coordinates, const double* rest, double* b) {
  for (size_t pair = 0; 2 * pair < problem.bones; ++pair) {
    const double* projection = problem.projection + pair * problem.rank * 8;
    for (size_t lane = 0; lane < lanes; lane += width) {
      Vec sum[8] = {};
      for (size_t q = 0; q < problem.rank; ++q) {
        const Vec c = load(coordinates + q * lanes + lane);
        const double* row = projection + 8 * q;
        for (size_t m = 0; m < 8; ++m) sum[m] += row[m] * c;
      }
      const Vec x = load(rest + lane), y = load(rest + lanes + lane), z = load(rest + 2 * lanes + lane);
      for (size_t half = 0; half < 2; ++half) {
        if (2 * pair + half >= problem.bones) break;
        const Vec* s = sum + 4 * half;
        const Vec value = s[0] * x + s[1] * y + s[2] * z + s[3];
        for (size_t l = 0; l < width; ++l) b[(2 * pair + half) * lanes + lane + l] = value[l];
      }
    }
  }
}

/// out[j] = <monomials, rows[.][j]> for every bone j.
void gram_row(const WeightProblem& problem, const double* rows, const double m[10], double* out) {
  const size_t stride = problem.stride, n = problem.bones;
  for (size_t j = 0; j < n; ++j) {
    double sum = m[0] * rows[j];
    for (size_t q = 1; q < 10; ++q) sum += m[q] * rows[q * stride + j];
    out[j] = sum;
  }
}

/// One vertex: the Gram rows of the bones looked at so far, and the search for the best support.
class Vertex {
 public:
  Vertex(const WeightProblem& problem, double* scratch) : problem_(problem), size_(problem.influences + 1) {
    const size_t n = problem.bones;
    b_ = scratch;
    diagonal_ = b_ + n;
    product_ = diagonal_ + n;
    gain_ = product_ + n;
    rows_ = gain_ + n;
    row_of_ = reinterpret_cast<int32_t*>(rows_ + row_slots() * n);
    d_ = rows_ + row_slots() * n + n;
    factor_ = d_ + size_ * size_;
    lower_ = factor_ + size_ * size_;
    inverse_ = lower_ + size_ * size_;
    solution_ = inverse_ + size_;
  }

  /// Per-vertex rows are kept for this many bones at a time.
  size_t row_slots() const { return 3 * size_ < problem_.bones ? 3 * size_ : problem_.bones; }

  double* b() { return b_; }

  void start(double x, double y, double z, double squared, double stiffness) {
    monomials(x, y, z, m_);
    squared_ = squared;
    stiffness_ = stiffness;
    gram_row(problem_, problem_.diagonal, m_, diagonal_);
    for (size_t j = 0; j < problem_.bones; ++j) diagonal_[j] += stiffness;
    for (size_t l = 0; l < problem_.bones; ++l) row_of_[l] = -1;
    rows_used_ = 0;
  }

  /// A set of bones with the weights that are best for it.
  struct Candidate {
    uint32_t* bones;
    double* weights;
    size_t count;
    double error;
  };

  void best_single(Candidate& c) {
    size_t best = banned_ == 0 && problem_.bones > 1 ? 1 : 0;
    for (size_t j = best + 1; j < problem_.bones; ++j) {
      if (j != banned_ && diagonal_[j] - 2 * b_[j] < diagonal_[best] - 2 * b_[best]) best = j;
    }
    c.bones[0] = uint32_t(best);
    c.weights[0] = 1;
    c.count = 1;
    c.error = entry(best, best);
  }

  /// Adds bones one at a time while that lowers the error.
  void grow(Candidate& c) {
    while (c.count < problem_.influences) {
      const size_t j = best_addition(c);
      if (j == none || !add(c, j)) return;
    }
  }

  /// Optimal weights on the given support.
  void polish(Candidate& c) {
    double sum = 0;
    for (size_t a = 0; a < c.count; ++a) sum += c.weights[a];
    for (size_t a = 0; a < c.count; ++a) c.weights[a] /= sum;
    optimise(c);
  }

  /// How much worse the best weights without bone a of the given ones are.
  double loss(const Candidate& given, size_t a, Candidate& without) {
    banned_ = given.bones[a];
    without.count = 0;
    for (size_t e = 0; e < given.count; ++e) {
      if (e == a) continue;
      without.bones[without.count] = given.bones[e];
      without.weights[without.count++] = given.weights[e];
    }
    if (without.count == 0) {
      best_single(without);
    } else {
      polish(without);
    }
    exchange(without, 2);
    banned_ = none;
    return without.error + price(without) - given.error - price(given);
  }

  /// What the bones of a candidate must be worth.
  double price(const Candidate& c) const { return problem_.per_influence * double(c.count); }

  /// Replaces bones one at a time while that lowers the error: solve with one more, drop the least needed.
  void exchange(Candidate& c, size_t rounds) {
    for (size_t round = 0; round < rounds; ++round) {
      const size_t j = best_addition(c);
      if (j == none || !add(c, j)) return;
    }
  }

 private:
  static constexpr size_t none = size_t(-1);

  const double* row(size_t j) {
    if (row_of_[j] < 0) {
      if (rows_used_ == row_slots()) {
        // Full: forget all. Supports are small, so this is rare.
        for (size_t l = 0; l < problem_.bones; ++l) row_of_[l] = -1;
        rows_used_ = 0;
      }
      row_of_[j] = int32_t(rows_used_++);
      gram_row(problem_, problem_.gram + j * 10 * problem_.stride, m_, rows_ + slot(j));
      rows_[slot(j) + j] += stiffness_;
    }
    return rows_ + slot(j);
  }
  size_t slot(size_t j) const { return size_t(row_of_[j]) * problem_.bones; }

  /// (a_j - v) . (a_k - v): with weights that sum to 1 the error is w^T D w.
  double entry(size_t j, size_t l) { return (j == l ? diagonal_[j] : row(j)[l]) - b_[j] - b_[l] + squared_; }

  /// The bone whose addition promises the largest gain: line search from w towards it, gradient^2 / curvature.
  size_t best_addition(const Candidate& c) {
    const size_t n = problem_.bones;
    for (size_t j = 0; j < n; ++j) product_[j] = 0;
    for (size_t a = 0; a < c.count; ++a) {
      const double w = c.weights[a];
      const double* r = row(c.bones[a]);
      for (size_t j = 0; j < n; ++j) product_[j] += w * r[j];
    }
    double wAw = 0, bw = 0;
    for (size_t a = 0; a < c.count; ++a) {
      wAw += c.weights[a] * product_[c.bones[a]];
      bw += c.weights[a] * b_[c.bones[a]];
    }
    const double level = wAw - bw, tiny = 1e-14 * squared_;
    for (size_t j = 0; j < n; ++j) {
      const double slope = product_[j] - b_[j] - level;
      const double curvature = diagonal_[j] - 2 * product_[j] + wAw;
      const double down = slope < 0 ? slope : 0;
      gain_[j] = down * down / ((curvature > 0 ? curvature : 0) + tiny);
    }
    for (size_t a = 0; a < c.count; ++a) gain_[c.bones[a]] = 0;
    if (banned_ != none) gain_[banned_] = 0;
    size_t best = 0;
    for (size_t j = 1; j < n; ++j) {
      if (gain_[j] > gain_[best]) best = j;
    }
    return gain_[best] > 1e-9 * c.error ? best : none;
  }

  /// Brings bone j in, and the least needed one out where there are too many. False, and c as it was, when the error
  /// does not fall.
  bool add(Candidate& c, size_t j) {
    Candidate next{next_bones_, next_weights_, c.count + 1, c.error};
    for (size_t a = 0; a < c.count; ++a) {
      next.bones[a] = c.bones[a];
      next.weights[a] = c.weights[a];
    }
    next.bones[c.count] = uint32_t(j);
    next.weights[c.count] = 0;
    optimise(next);
    if (next.count > problem_.influences) {
      drop_least_needed(next);
      optimise(next);
    }
    if (!(next.error + price(next) < c.error * (1 - 1e-9) + price(c))) return false;
    for (size_t a = 0; a < next.count; ++a) {
      c.bones[a] = next.bones[a];
      c.weights[a] = next.weights[a];
    }
    c.count = next.count;
    c.error = next.error;
    return true;
  }

  void fill(const Candidate& c) {
    for (size_t r = 0; r < c.count; ++r) {
      for (size_t s = 0; s <= r; ++s) d_[r * size_ + s] = entry(c.bones[r], c.bones[s]);
    }
  }

  /// D = L diag(p) L^T of the leading `n`, L unit lower, with a ridge that keeps equal bones apart. What is kept is L
  /// and 1 / p.
  void factorise(size_t n) {
    double trace = 0;
    for (size_t r = 0; r < n; ++r) trace += d_[r * size_ + r];
    const double ridge = 1e-11 * trace + 1e-300;
    for (size_t r = 0; r < n; ++r) {
      double* row = factor_ + r * size_;
      double pivot = d_[r * size_ + r] + ridge;
      for (size_t s = 0; s < r; ++s) {
        double sum = d_[r * size_ + s];  // L_rs p_s
        for (size_t q = 0; q < s; ++q) sum -= row[q] * lower_[s * size_ + q];
        row[s] = sum;
      }
      for (size_t s = 0; s < r; ++s) {
        const double scaled = row[s] * inverse_[s];
        pivot -= scaled * row[s];
        lower_[r * size_ + s] = scaled;
      }
      inverse_[r] = 1 / (pivot > ridge ? pivot : ridge);
    }
  }

  /// x = D^-1 x.
  void back_substitute(double* x, size_t n) const {
    for (size_t r = 1; r < n; ++r) {
      for (size_t q = 0; q < r; ++q) x[r] -= lower_[r * size_ + q] * x[q];
    }
    for (size_t r = n; r-- > 0;) {
      x[r] *= inverse_[r];
      for (size_t q = r + 1; q < n; ++q) x[r] -= lower_[q * size_ + r] * x[q];
    }
  }

  /// min w^T D w over the simplex on c's bones, from feasible weights: solve without the sign, walk there as far as the
  /// signs allow, drop what reached zero, repeat. (A bone once dropped does not come back here; the gradient test of
  /// best_addition brings it back when that pays.)
  void optimise(Candidate& c) {
    for (;;) {
      fill(c);
      factorise(c.count);
      double sum = 0;
      for (size_t a = 0; a < c.count; ++a) solution_[a] = 1;
      back_substitute(solution_, c.count);
      for (size_t a = 0; a < c.count; ++a) sum += solution_[a];
      if (!__builtin_isfinite(sum) || sum == 0) {
        // D is nothing but rounding, and all weights are as good. The given ones stay, but no bone without any.
        for (size_t a = c.count; a-- > 0;) {
          if (!(c.weights[a] > 0)) remove(c, a);
        }
        fill(c);
        break;
      }
      double step = 1;
      size_t blocking = none;
      for (size_t a = 0; a < c.count; ++a) {
        solution_[a] /= sum;
        if (solution_[a] > 0) continue;
        const double allowed = c.weights[a] > 0 ? c.weights[a] / (c.weights[a] - solution_[a]) : 0;
        if (blocking == none || allowed < step) {
          step = allowed;
          blocking = a;
        }
      }
      for (size_t a = 0; a < c.count; ++a) c.weights[a] += step * (solution_[a] - c.weights[a]);
      if (blocking == none) break;
      remove(c, blocking);
    }
    double error = 0;
    for (size_t r = 0; r < c.count; ++r) {
      double dot = 0.5 * d_[r * size_ + r] * c.weights[r];
      for (size_t s = 0; s < r; ++s) dot += d_[r * size_ + s] * c.weights[s];
      error += 2 * c.weights[r] * dot;
    }
    c.error = error > 0 ? error : 0;
  }

  static void remove(Candidate& c, size_t a) {
    --c.count;
    for (; a < c.count; ++a) {
      c.bones[a] = c.bones[a + 1];
      c.weights[a] = c.weights[a + 1];
    }
  }

  /// The bone whose loss costs least: w_a^2 / (D^-1)_aa. The factor is that of the last optimise().
  void drop_least_needed(Candidate& c) {
    size_t least = 0;
    double least_cost = 0;
    for (size_t a = 0; a < c.count; ++a) {
      for (size_t r = 0; r < c.count; ++r) solution_[r] = r == a ? 1 : 0;
      back_substitute(solution_, c.count);
      const double cost = c.weights[a] * c.weights[a] / solution_[a];
      if (a == 0 || cost < least_cost) {
        least = a;
        least_cost = cost;
      }
    }
    const double rest = 1 - c.weights[least];
    remove(c, least);
    for (size_t a = 0; a < c.count; ++a) {
      c.weights[a] = rest > 0 ? c.weights[a] / rest : 1 / double(c.count);
    }
  }

  const WeightProblem& problem_;
  size_t size_;
  double squared_ = 0, stiffness_ = 0;
  double m_[10];
  double *b_, *diagonal_, *product_, *gain_, *rows_, *d_, *factor_, *lower_, *inverse_, *solution_;
  int32_t* row_of_;
  size_t rows_used_ = 0;
  size_t banned_ = none;  ///< may not come in

 public:
  uint32_t* next_bones_ = nullptr;
  double* next_weights_ = nullptr;
};

}  // namespace

void single_errors(const WeightProblem& problem, const double* coordinates, const double* rest, const double* squared,
                   double* out) {
  linear_terms(problem, coordinates, rest, out);
  double m[10][lanes];
  for (size_t lane = 0; lane < lanes; ++lane) {
    double column[10];
    monomials(rest[lane], rest[lanes + lane], rest[2 * lanes + lane], column);
    for (size_t q = 0; q < 10; ++q) m[q][lane] = column[q];
  }
  for (size_t j = 0; j < problem.bones; ++j) {
    for (size_t lane = 0; lane < lanes; ++lane) {
      double sum = squared[lane] - 2 * out[j * lanes + lane];
      for (size_t q = 0; q < 10; ++q) sum += problem.diagonal[q * problem.stride + j] * m[q][lane];
      out[j * lanes + lane] = sum > 0 ? sum : 0;
    }
  }
}

namespace {

/// The vertices of a block, one after the other.
class Lanes {
 public:
  Lanes(const WeightProblem& problem, const WeightBlock& block)
      : problem_(problem), block_(block), vertex_(problem, block.scratch + problem.bones * lanes) {
    const size_t size = problem.influences + 1;
    double* tail = block.scratch + weight_scratch(problem.bones, problem.influences) - 4 * size;
    vertex_.next_weights_ = tail;
    vertex_.next_bones_ = reinterpret_cast<uint32_t*>(tail + size);
    other_ = {reinterpret_cast<uint32_t*>(tail + 3 * size), tail + 2 * size, 0, 0};
    linear_terms(problem, block.coordinates, block.rest, block.scratch);
  }

  Vertex& start(size_t lane) {
    const size_t n = problem_.bones;
    double *b = vertex_.b(), squared = block_.squared[lane], stiffness = 0;
    for (size_t j = 0; j < n; ++j) b[j] = block_.scratch[j * lanes + lane];
    if (block_.pull.towards) {
      for (size_t j = 0; j < n; ++j) b[j] += block_.pull.towards[lane * n + j];
      stiffness = block_.pull.stiffness[lane];
      squared += block_.pull.constant[lane];
    }
    vertex_.start(block_.rest[lane], block_.rest[lanes + lane], block_.rest[2 * lanes + lane], squared, stiffness);
    return vertex_;
  }
  /// The weights that the vertex has.
  Vertex::Candidate given(size_t lane) const {
    return {block_.support + lane * block_.slots, block_.weight + lane * block_.slots, block_.used[lane],
            block_.error[lane]};
  }
  /// Room for other ones.
  Vertex::Candidate& other() { return other_; }

 private:
  const WeightProblem& problem_;
  const WeightBlock& block_;
  Vertex vertex_;
  Vertex::Candidate other_{};
};

}  // namespace

void weights(const WeightProblem& problem, const WeightBlock& block) {
  Lanes each(problem, block);
  for (size_t lane = 0; lane < block.count; ++lane) {
    Vertex& vertex = each.start(lane);
    Vertex::Candidate best = each.given(lane);
    if (best.count > 0) {
      vertex.polish(best);
      vertex.exchange(best, 2);
    }
    if (best.count == 0 || block.from_scratch) {
      Vertex::Candidate& fresh = each.other();
      vertex.best_single(fresh);
      vertex.grow(fresh);
      if (best.count == 0 || fresh.error + vertex.price(fresh) < best.error + vertex.price(best)) {
        for (size_t a = 0; a < fresh.count; ++a) {
          best.bones[a] = fresh.bones[a];
          best.weights[a] = fresh.weights[a];
        }
        best.count = fresh.count;
        best.error = fresh.error;
        vertex.exchange(best, 1);
      }
    }
    block.used[lane] = uint32_t(best.count);
    block.error[lane] = best.error;
  }
}

void losses(const WeightProblem& problem, const WeightBlock& block, double* out) {
  Lanes each(problem, block);
  for (size_t lane = 0; lane < block.count; ++lane) {
    Vertex& vertex = each.start(lane);
    const Vertex::Candidate given = each.given(lane);
    for (size_t a = 0; a < given.count; ++a) out[lane * block.slots + a] = vertex.loss(given, a, each.other());
  }
}

}  // namespace marrow::kernels::MARROW_LEVEL
