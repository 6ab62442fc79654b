#include "decomposition/options.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/option_fields.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"

namespace marrow {

const EnumNames<RestPose>& rest_pose_names() {
  static const EnumNames<RestPose> names = {{RestPose::keep, "keep", "it stays as given"},
                                            {RestPose::once, "once", "one correction near the end"},
                                            {RestPose::alternate, "alternate", "corrected in every iteration"}};
  return names;
}

std::vector<Option> option_table(DecomposeOptions& options) {
  using O = DecomposeOptions;
  const OptionFields<O> field(options);
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  return {
      field("bones", &O::bones, {.help = "Number of bones", .least = 1}),
      field("influences", &O::influences, {.help = "Bones per vertex, at most", .least = 1, .words = {{"all", all}}}),
      field("kind", &O::kind, bone_kind_names(), {.help = "What bones may do"}),
      field("conditioning", &O::conditioning,
            {.help = "Largest factor by which bones scale, either way",
             .least = 1,
             .zero = "up to 1000",
             .with = "kind",
             .with_values = {"scale", "stretch", "flexible"}}),
      field("rest_pose", &O::rest_pose, rest_pose_names(), {.help = "What may happen to the rest pose"}),
      field("rest_limit", &O::rest_limit,
            {.help = "How far a vertex of the rest pose may move",
             .kind = OptionKind::share,
             .least = 0,
             .zero = "no limit",
             .with = "rest_pose",
             .with_values = {"once", "alternate"}}),
      field("smooth", &O::smooth,
            {.help = "How much weights are drawn to those of near vertices", .least = 0, .zero = "not at all"}),
      field("effort", &O::effort, effort_names(), {.help = "How much time to spend on a better result"}),
      field("keep_best", &O::keep_best,
            {.help = "Ctrl-C ends the search and writes the best rig so far; for one rig with --bones N"}),
  };
}

namespace decomposition {

Schedule schedule(Effort effort) {
  switch (effort) {
    case Effort::fast:
      return {.before = 10, .tries = 0, .after = 10, .all_points = 10};
    case Effort::best:
      return {
          .before = 15, .tries = 15, .starts = 6, .patient = true, .after = 30, .all_points = 300, .least_gain = 5e-4};
    case Effort::normal:
      break;
  }
  return {.before = 10, .tries = 4, .after = 12, .all_points = 12};
}

void check(const Sequence& sequence, const DecomposeOptions& options) {
  validate(sequence);
  if (sequence.vertices() == 0 || sequence.frames() == 0) {
    throw Error(ErrorCode::bad_input, "decompose", "the sequence has no vertices or no frames");
  }
  if (!(size_of(sequence.mesh.positions) > 0)) {
    throw Error(ErrorCode::bad_input, "decompose",
                "all vertices of the rest pose are in one place; give a rest pose with a size");
  }
  check_ranges(options);
  if (options.bones > sequence.vertices()) {
    throw Error(ErrorCode::bad_request, "bones",
                fmt::format("{} was given; give 1 to {}, the number of vertices", options.bones, sequence.vertices()));
  }
}

void check(const Sequence& sequence, const Motion& motion) {
  validate(motion);
  if (motion.frames() == sequence.frames() && motion.bones > 0) return;
  throw Error(ErrorCode::bad_input, "motion",
              fmt::format("the motion has {} bones and {} frames; the sequence has {} frames", motion.bones,
                          motion.frames(), sequence.frames()));
}

}  // namespace decomposition
}  // namespace marrow
