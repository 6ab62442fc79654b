#pragma once

#include "core/stopwatch.hpp"
#include "lbs/descent.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/points.hpp"
#include "lbs/space.hpp"
#include "marrow/decompose.hpp"

namespace marrow::decomposition {

/// How many iterations of what.
struct Schedule {
  int before = 0;          ///< before bones are moved about, on the search points
  int tries = 0;           ///< to move bones
  std::size_t starts = 1;  ///< of the search; the best one counts
  bool patient = false;    ///< take superfluous bones out one by one, not many at a time
  int after = 0;           ///< on the search points
  int all_points = 0;      ///< with every vertex, at most
  double least_gain = 0;   ///< these end when five of them gain less than this share of the error
};
Schedule schedule(Effort effort);

/// Throws Error{bad_request} or Error{bad_input} for what cannot be solved.
void check(const Sequence& sequence, const DecomposeOptions& options);
/// The same for bones that are given: they must move in every frame of the sequence.
void check(const Sequence& sequence, const Motion& motion);
/// What was asked, for the report.
std::vector<std::pair<std::string, Setting>> settings(const DecomposeOptions& options);

/// E_RMS that the reduced coordinates may lose, as a share of the error.
inline constexpr double fine_share = 0.1;
/// Left after the one correction of the rest pose.
inline constexpr int iterations_after_rest = 4;

/// Where bones are searched for: few vertices, few coordinates.
struct SearchGround {
  lbs::Space space;
  Neighbours all_neighbours;  ///< of every vertex
  lbs::Points sample;
  Neighbours neighbours;  ///< of the sample
  lbs::BoneModel model;
  std::size_t influences = 4;
  double rest_limit = 0;  ///< see solve_rest_pose

  /// With the sample itself, or fewer of its coordinates.
  lbs::Problem problem(const lbs::Points& points) const { return {space, points, neighbours, model, influences}; }
  /// The sample with as many coordinates as leave out at most this.
  lbs::Points with_error(double e_rms) const { return lbs::truncated(sample, space.rank_for(e_rms)); }
  double e_rms_of(const lbs::State& state) const {
    return lbs::e_rms(state.error - state.springs, sample.count, space.frames);
  }
};
SearchGround make_ground(const Sequence& sequence, const DecomposeOptions& options, const Run& run);

/// Places bones, lets them settle and moves them to where they are needed most. With a stop and options.keep_best, what
/// was found so far; report.status says so.
lbs::State search_bones(const SearchGround& ground, const DecomposeOptions& options, const Schedule& plan,
                        Report& report, const Run& run);

/// Weights for every vertex, then everything together, from what was found.
Rig refine_all(const Sequence& sequence, const SearchGround& ground, const lbs::State& found,
               const DecomposeOptions& options, const Schedule& plan, Report& report, const Run& run);

}  // namespace marrow::decomposition
