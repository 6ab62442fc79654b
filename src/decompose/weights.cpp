#include "decompose/weights.hpp"

#include "core/parallel.hpp"

namespace marrow::ssdr {
namespace {

/// What the springs say to the vertices of one block. With |x - y|^2 <= 2 |x - m|^2 + 2 |y - m|^2, equal where m is the
/// middle of x and y, all vertices can move at once towards the middles of the last weights, and the energy falls.
class Pull {
 public:
  Pull(const Smoothness& smoothness, const SlotWeights& last, std::size_t bones)
      : smoothness_(smoothness), last_(last), bones_(bones), towards_(bones * lanes) {}

  void gather(std::size_t first, std::size_t count) {
    std::fill(towards_.begin(), towards_.end(), 0.0);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::size_t i = first + lane;
      double* out = towards_.data() + lane * bones_;
      stiffness_[lane] = constant_[lane] = 0;
      for (std::size_t e = smoothness_.neighbours->offsets[i]; e < smoothness_.neighbours->offsets[i + 1]; ++e) {
        const double spring = smoothness_.springs[e];
        add(i, spring, out);
        add(smoothness_.neighbours->indices[e], spring, out);
        stiffness_[lane] += 2 * spring;
      }
      if (stiffness_[lane] <= 0) continue;
      for (std::size_t k = 0; k < bones_; ++k) constant_[lane] += out[k] * out[k] / stiffness_[lane];
    }
  }
  kernels::WeightPull view() const { return {towards_.data(), stiffness_, constant_}; }

 private:
  void add(std::size_t i, double spring, double* out) const {
    for (std::size_t s = 0; s < last_.used[i]; ++s) {
      out[last_.bones[i * last_.influences + s]] += spring * last_.values[i * last_.influences + s];
    }
  }

  const Smoothness& smoothness_;
  const SlotWeights& last_;
  std::size_t bones_;
  std::vector<double> towards_;
  double stiffness_[lanes] = {}, constant_[lanes] = {};
};

}  // namespace

void solve_weights(const Space& space, const Points& points, const std::vector<double>& rest, const Bones& bones,
                   const Smoothness& smoothness, SlotWeights& weights, const Run& run) {
  const BoneTables tables(space, bones, points.rank, weights.influences);
  // Springs pull towards the weights before this step. The first step has none to pull towards.
  const bool pulled = smoothness.active() && weights.used[0] > 0;
  const SlotWeights last = pulled ? weights : SlotWeights{};
  parallel_for(run, points.blocks(), 16, [&](std::size_t begin, std::size_t end) {
    std::vector<double> scratch(kernels::weight_scratch(tables.problem().bones, weights.influences));
    Pull pull(smoothness, last, pulled ? tables.problem().bones : 0);
    for (std::size_t b = begin; b < end; ++b) {
      const std::size_t first = b * lanes, count = std::min(lanes, points.count - first);
      if (pulled) pull.gather(first, count);
      const kernels::WeightBlock block{points.block_coordinates(b),
                                       rest.data() + b * 3 * lanes,
                                       points.squared.data() + first,
                                       pulled ? pull.view() : kernels::WeightPull{},
                                       count,
                                       weights.bones.data() + first * weights.influences,
                                       weights.values.data() + first * weights.influences,
                                       weights.used.data() + first,
                                       weights.errors.data() + first,
                                       scratch.data()};
      kernels::decompose_kernels().weights(tables.problem(), block);
    }
  });
}

}  // namespace marrow::ssdr
