// Method (ours): removal cost of a bone, the rise of the squared error when each vertex redistributes its weight. SSDR,
// Eq. (4), rates a single weight by its displacement instead.
#include "decomposition/removal.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "lbs/bone_tables.hpp"
#include "lbs/bones.hpp"
#include "lbs/descent.hpp"
#include "lbs/dispatch.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/weight_solve.hpp"

namespace marrow::decomposition {

std::vector<double> removal_costs(const lbs::Problem& problem, const lbs::State& state, const Run& run) {
  const lbs::Points& points = problem.points;
  lbs::SlotWeights w = state.weights;  // a copy: blocks are writable
  const std::size_t count = lbs::bone_count(state.bones);
  const lbs::BoneTables tables(problem.space, state.bones, points.rank, w.influences, run);
  constexpr std::size_t grain = 16;
  std::vector<std::vector<double>> partial((points.blocks() + grain - 1) / grain);
  parallel_for(run, points.blocks(), grain, [&](std::size_t begin, std::size_t end) {
    std::vector<double> scratch(kernels::weight_scratch(count, w.influences)), losses(lbs::lanes * w.influences);
    std::vector<double>& costs = partial[begin / grain];
    costs.assign(count, 0);
    for (std::size_t b = begin; b < end; ++b) {
      const std::size_t first = b * lbs::lanes, used = std::min(lbs::lanes, points.count - first);
      kernels::weight_kernels().losses(tables.problem(), lbs::block_of(points, state.rest, w, b, scratch),
                                       losses.data());
      for (std::size_t lane = 0; lane < used; ++lane) {
        for (std::size_t a = 0; a < w.used[first + lane]; ++a) {
          costs[w.bones[(first + lane) * w.influences + a]] += losses[lane * w.influences + a];
        }
      }
    }
  });
  std::vector<double> total(count, 0);
  for (const std::vector<double>& costs : partial) {
    for (std::size_t j = 0; j < count; ++j) total[j] += costs[j];
  }
  return total;
}

void remove_bone(lbs::State& state, std::size_t bone) {
  const auto last = lbs::bone_count(state.bones) - 1;
  lbs::Bones kept(state.bones.rows(), Eigen::Index(4 * last));
  kept << state.bones.leftCols(Eigen::Index(4 * bone)), state.bones.rightCols(Eigen::Index(4 * (last - bone)));
  state.bones = std::move(kept);
  state.axes.erase(state.axes.begin() + std::ptrdiff_t(bone));
  lbs::SlotWeights& w = state.weights;
  for (std::size_t i = 0; i < w.used.size(); ++i) {
    std::uint32_t* bones = w.bones.data() + i * w.influences;
    double* values = w.values.data() + i * w.influences;
    std::uint32_t left = 0;
    for (std::uint32_t a = 0; a < w.used[i]; ++a) {
      if (bones[a] == bone) continue;
      bones[left] = bones[a] > bone ? bones[a] - 1 : bones[a];
      values[left++] = values[a];
    }
    w.used[i] = left;
  }
  state.reset();
}

}  // namespace marrow::decomposition
