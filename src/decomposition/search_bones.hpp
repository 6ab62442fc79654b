#pragma once

#include "core/neighbours.hpp"
#include "decomposition/options.hpp"
#include "lbs/descent.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/points.hpp"
#include "lbs/space.hpp"

namespace marrow::decomposition {

/// E_RMS that the reduced coordinates may leave out, as a share of the error.
inline constexpr double fine_share = 0.1;
/// Iterations after the one-time correction of the rest pose.
inline constexpr int iterations_after_rest = 4;

/// Data of the search: few vertices, few coordinates.
struct SearchGround {
  lbs::Space space;
  Neighbours all_neighbours;  ///< of all vertices
  lbs::Points sample;
  Neighbours neighbours;  ///< of the sample
  lbs::BoneModel model;
  std::size_t influences = 4;
  double rest_limit = 0;  ///< see solve_rest_pose

  /// The problem with `points`: the sample, possibly truncated.
  lbs::Problem problem(const lbs::Points& points) const { return {space, points, neighbours, model, influences}; }
  /// The sample with the fewest coordinates that leave out at most `e_rms`.
  lbs::Points with_error(double e_rms) const { return lbs::truncated(sample, space.rank_for(e_rms)); }
  double e_rms_of(const lbs::State& state) const {
    return lbs::e_rms(state.error - state.springs, sample.count, space.frames);
  }
};
SearchGround make_ground(const Sequence& sequence, const DecomposeOptions& options, const Run& run);

/// Places bones, settles and moves them. With options.keep_best, a stop returns the best so far and sets report.status.
lbs::State search_bones(const SearchGround& ground, const DecomposeOptions& options, const Schedule& schedule,
                        Report& report, const Run& run);

/// Estimates for the progress bar, in iterations with every vertex of the search and all coordinates.
double cost_of_search(const DecomposeOptions& options, const Schedule& schedule, const Run& run);
inline constexpr double cost_of_ground = 2;  ///< of reading what the search needs

}  // namespace marrow::decomposition
