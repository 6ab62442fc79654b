#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/enum_names.hpp"
#include "decomposition/solver.hpp"
#include "marrow/error.hpp"
#include "marrow/metrics.hpp"

namespace marrow {

const std::map<std::string, RestPose>& rest_pose_names() {
  static const std::map<std::string, RestPose> names = {
      {"keep", RestPose::keep}, {"once", RestPose::once}, {"alternate", RestPose::alternate}};
  return names;
}

namespace decomposition {
namespace {

void require_from(double value, double least, const char* field, const char* remedy) {
  if (std::isfinite(value) && value >= least) return;
  throw Error(ErrorCode::bad_request, field, fmt::format("{} was asked for; {}", value, remedy));
}

}  // namespace

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
  if (options.bones < 1 || options.bones > sequence.vertices()) {
    throw Error(ErrorCode::bad_request, "bones",
                fmt::format("{} bones were asked for; give 1 to {}, the number of vertices", options.bones,
                            sequence.vertices()));
  }
  if (options.influences < 1) {
    throw Error(ErrorCode::bad_request, "influences", "a vertex must follow at least 1 bone");
  }
  require_from(options.smooth, 0, "smooth", "give 0 (not at all) or more");
  require_from(options.rest_limit, 0, "rest_limit", "give 0 (no limit) or a share of the size");
  if (options.conditioning != 0) {
    require_from(options.conditioning, 1, "conditioning", "give 0 (up to 1000) or a factor of at least 1");
  }
}

void check(const Sequence& sequence, const Motion& motion) {
  validate(motion);
  if (motion.frames() == sequence.frames() && motion.bones > 0) return;
  throw Error(ErrorCode::bad_input, "motion",
              fmt::format("the motion has {} bones and {} frames; the sequence has {} frames", motion.bones,
                          motion.frames(), sequence.frames()));
}

std::vector<std::pair<std::string, Setting>> settings(const DecomposeOptions& options) {
  return {{"bones", std::int64_t(options.bones)},
          {"influences", std::int64_t(std::min(options.influences, options.bones))},
          {"kind", name_of(options.kind, bone_kind_names())},
          {"conditioning", options.conditioning},
          {"rest_pose", name_of(options.rest_pose, rest_pose_names())},
          {"rest_limit", options.rest_limit},
          {"smooth", options.smooth},
          {"effort", name_of(options.effort, effort_names())}};
}

}  // namespace decomposition
}  // namespace marrow
