// Le & Deng 2012 (SSDR), Section 3.2: weights for fixed bones, block by block in the SIMD kernels.
// Differs: exact programs with a search for the support, instead of Eq. (4) and one more solve; optional smoothing.
#include "lbs/weight_solve.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "lbs/bone_tables.hpp"
#include "lbs/bones.hpp"
#include "lbs/dispatch.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/smoothness.hpp"
#include "lbs/space.hpp"

namespace marrow::lbs {
namespace {

/// Effect of smoothing on the vertices of one block. Majorises |x - y|^2 <= 2 |x - m|^2 + 2 |y - m|^2 (equal if m is
/// the mean of x and y), with m from the last weights: all vertices move at once, and the energy falls.
class Pull {
 public:
  Pull(const Smoothness& smoothness, const SlotWeights& last, std::size_t bones)
      : smoothness_(smoothness), last_(last), sum_(bones), towards_(bones * lanes) {}

  /// For the vertices of a block; only of the `chosen` bones, if given.
  void gather(std::size_t first, std::size_t count, const std::vector<std::uint32_t>* chosen) {
    std::fill(towards_.begin(), towards_.end(), 0.0);
    for (std::size_t lane = 0; lane < lanes && first + lane < count; ++lane) {
      const std::size_t i = first + lane;
      std::fill(sum_.begin(), sum_.end(), 0.0);
      stiffness_[lane] = constant_[lane] = 0;
      for (std::size_t e = smoothness_.neighbours->offsets[i]; e < smoothness_.neighbours->offsets[i + 1]; ++e) {
        const double spring = smoothness_.springs[e];
        add(i, spring);
        add(smoothness_.neighbours->indices[e], spring);
        stiffness_[lane] += 2 * spring;
      }
      if (stiffness_[lane] <= 0) continue;
      for (const double s : sum_) constant_[lane] += s * s / stiffness_[lane];
      const std::size_t bones = chosen ? chosen->size() : sum_.size();
      double* out = towards_.data() + lane * bones;
      for (std::size_t j = 0; j < bones; ++j) out[j] = sum_[chosen ? (*chosen)[j] : j];
    }
  }
  kernels::WeightPull view() const { return {towards_.data(), stiffness_, constant_}; }

 private:
  void add(std::size_t i, double spring) {
    for (std::size_t s = 0; s < last_.used[i]; ++s) {
      sum_[last_.bones[i * last_.influences + s]] += spring * last_.values[i * last_.influences + s];
    }
  }

  const Smoothness& smoothness_;
  const SlotWeights& last_;
  std::vector<double> sum_;  ///< of one vertex, over all bones
  std::vector<double> towards_;
  double stiffness_[lanes] = {}, constant_[lanes] = {};
};

/// Blocks that share a subset of bones.
constexpr std::size_t group = 4;

/// Tables of a subset of the bones; weights refer to them by local indices in between.
class LocalTables {
 public:
  LocalTables(const BoneTables& all, SlotWeights& weights)
      : from_(all.problem()), weights_(weights), local_(from_.bones, none) {}

  /// Selects the bones of the vertices [first, last). Until give_back(), their indices are local.
  void choose(std::size_t first, std::size_t last) {
    first_ = first;
    last_ = last;
    for_each_index([&](std::uint32_t& bone) {
      if (local_[bone] == none) {
        local_[bone] = std::uint32_t(bones_.size());
        bones_.push_back(bone);
      }
      bone = local_[bone];
    });
    const std::size_t count = bones_.size(), rank = from_.rank;
    gram_.resize(count * 10 * count);
    diagonal_.resize(10 * count);
    projection_.assign((count + 1) / 2 * rank * 8, 0);
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t q = 0; q < 10; ++q) {
        const double* row = from_.gram + (std::size_t(bones_[j]) * 10 + q) * from_.stride;
        for (std::size_t l = 0; l < count; ++l) gram_[(j * 10 + q) * count + l] = row[bones_[l]];
        diagonal_[q * count + j] = row[bones_[j]];
      }
      const double* projection =
          from_.projection + std::size_t(bones_[j]) / 2 * rank * 8 + std::size_t(bones_[j]) % 2 * 4;
      double* to = projection_.data() + j / 2 * rank * 8 + j % 2 * 4;
      for (std::size_t q = 0; q < rank; ++q) std::copy_n(projection + 8 * q, 4, to + 8 * q);
    }
    problem_ = {count,
                count,
                rank,
                std::min(from_.influences, count),
                gram_.data(),
                diagonal_.data(),
                projection_.data(),
                from_.per_influence};
  }
  void give_back() {
    for_each_index([&](std::uint32_t& bone) { bone = bones_[bone]; });
    for (const std::uint32_t bone : bones_) local_[bone] = none;
    bones_.clear();
  }

  const kernels::WeightProblem& problem() const { return problem_; }
  const std::vector<std::uint32_t>& bones() const { return bones_; }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  template <class Change>
  void for_each_index(Change change) {
    for (std::size_t i = first_; i < last_; ++i) {
      for (std::size_t a = 0; a < weights_.used[i]; ++a) change(weights_.bones[i * weights_.influences + a]);
    }
  }

  const kernels::WeightProblem& from_;
  SlotWeights& weights_;
  std::size_t first_ = 0, last_ = 0;
  std::vector<std::uint32_t> local_, bones_;
  std::vector<double> gram_, diagonal_, projection_;
  kernels::WeightProblem problem_{};
};

}  // namespace

kernels::WeightBlock block_of(const Points& points, const std::vector<double>& rest, SlotWeights& weights,
                              std::size_t b, std::vector<double>& scratch) {
  const std::size_t first = b * lanes, slots = weights.influences;
  return {points.block_coordinates(b),
          rest.data() + b * 3 * lanes,
          points.squared.data() + first,
          {},
          true,
          std::min(lanes, points.count - first),
          slots,
          weights.bones.data() + first * slots,
          weights.values.data() + first * slots,
          weights.used.data() + first,
          weights.errors.data() + first,
          scratch.data()};
}

void solve_weights(const MovedPoints& moved, const Smoothness& smoothness, Choice choice, SlotWeights& weights,
                   const Run& run) {
  const Points& points = moved.points;
  const BoneTables tables(moved.space, moved.bones, points.rank, weights.influences, run);
  // Smoothing pulls towards the previous weights; the first solve has none, and no near bones either.
  const bool fresh = weights.used[0] == 0;
  const bool pulled = smoothness.active() && !fresh;
  const bool local = choice == Choice::near_bones && !fresh;
  const SlotWeights last = pulled ? weights : SlotWeights{};
  const std::size_t count = tables.problem().bones;
  parallel_for(run, points.blocks(), 4 * group, [&](std::size_t begin, std::size_t end) {
    std::vector<double> scratch(kernels::weight_scratch(count, weights.influences));
    Pull pull(smoothness, last, pulled ? count : 0);
    LocalTables chosen(tables, weights);
    const kernels::WeightProblem& problem = local ? chosen.problem() : tables.problem();
    for (std::size_t b = begin; b < end; b += group) {
      const std::size_t after = std::min(end, b + group);
      if (local) chosen.choose(b * lanes, std::min(points.count, after * lanes));
      for (std::size_t block = b; block < after; ++block) {
        if (pulled) pull.gather(block * lanes, points.count, local ? &chosen.bones() : nullptr);
        kernels::WeightBlock one = block_of(points, moved.rest, weights, block, scratch);
        if (pulled) one.pull = pull.view();
        one.from_scratch = !local;
        kernels::weight_kernels().weights(problem, one);
      }
      if (local) chosen.give_back();
    }
  });
}

}  // namespace marrow::lbs
