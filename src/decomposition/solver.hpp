#pragma once

#include "core/stopwatch.hpp"
#include "lbs/descent.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/points.hpp"
#include "lbs/space.hpp"
#include "marrow/decompose.hpp"

namespace marrow::decomposition {

/// Numbers of iterations.
struct Schedule {
  int before = 0;          ///< on the sample, before bones are moved
  int tries = 0;           ///< attempts to move bones
  std::size_t starts = 1;  ///< of the search; the best is kept
  bool patient = false;    ///< remove bones one at a time, not several
  int after = 0;           ///< on the sample, after bones are moved
  int all_points = 0;      ///< on all vertices, at most
  double least_gain = 0;   ///< stop when five iterations on all vertices gain less than this share of the error
};
Schedule schedule(Effort effort);

/// Throws Error{bad_request} or Error{bad_input} if the input cannot be solved.
void check(const Sequence& sequence, const DecomposeOptions& options);
/// Checks given bones: they must move in every frame of the sequence.
void check(const Sequence& sequence, const Motion& motion);
/// Settings for the report.
std::vector<std::pair<std::string, Setting>> settings(const DecomposeOptions& options);

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
lbs::State search_bones(const SearchGround& ground, const DecomposeOptions& options, const Schedule& plan,
                        Report& report, const Run& run);

/// For the estimate of progress, in iterations with every vertex of the search and all coordinates: what the search,
/// reading what it needs, and what comes after it are expected to take.
double cost_of_search(const DecomposeOptions& options, const Schedule& plan, const Run& run);
double cost_of_refining(const SearchGround& ground, const Schedule& plan);
inline constexpr double cost_of_ground = 2;

/// Solves weights for all vertices, then everything, starting from `found`.
Rig refine_all(const Sequence& sequence, const SearchGround& ground, const lbs::State& found,
               const DecomposeOptions& options, const Schedule& plan, Report& report, const Run& run);

}  // namespace marrow::decomposition
