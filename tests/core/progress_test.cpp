// One bar over all stages of a call, whatever it calls itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "marrow/ddm.hpp"
#include "marrow/ddm_compression.hpp"
#include "marrow/decompose.hpp"
#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"
#include "marrow/reduce.hpp"
#include "marrow/skeleton.hpp"
#include "marrow/stages.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/two_layer.hpp"

namespace marrow {
namespace {

/// What a call told.
struct Told {
  std::vector<double> overall, errors;
  std::vector<std::string> stages;

  Run run() {
    return {.progress =
                [this](const Progress& p) {
                  overall.push_back(p.overall);
                  stages.emplace_back(p.stage);
                  if (p.error >= 0) errors.push_back(p.error);
                },
            .threads = 2};
  }
};

TEST(Stages, ShareTheWholeByTheirCosts) {
  Told told;
  const marrow::Run run = told.run();
  Stages stages(run, {1, 2, 1});
  for (int stage = 0; stage < 3; ++stage) {
    const marrow::Run part = stages.next();
    part.report({.stage = "half", .fraction = 0.5});
    part.report({.stage = "all", .fraction = 1});
  }
  stages.done();
  EXPECT_EQ(told.overall, (std::vector<double>{0.125, 0.25, 0.5, 0.75, 0.875, 1, 1}));
}

TEST(Stages, NestAndNeverFall) {
  Told told;
  const marrow::Run run = told.run();
  Stages outer(run);
  Stages inner(outer.next(3, 1), {1, 1});
  inner.next().report({.stage = "a", .fraction = 1});
  const marrow::Run part = inner.next();
  part.report({.stage = "b", .fraction = 1});
  part.report({.stage = "once more", .fraction = 0.1});
  inner.done();
  outer.next(1, 0).report({.stage = "c", .fraction = 0.5});
  outer.done();
  EXPECT_EQ(told.overall, (std::vector<double>{0.375, 0.75, 0.75, 0.75, 0.875, 1}));
}

TEST(Stages, LeaveOutErrorsThatRise) {
  Told told;
  const marrow::Run run = told.run();
  Stages stages(run, {1, 1});
  for (const double error : {3.0, 2.0, 2.5, 1.0}) stages.next().report({.stage = "any", .error = error});
  EXPECT_EQ(told.errors, (std::vector<double>{3, 2, 1}));
}

TEST(Stages, ThatNobodyListensToPassTheRunOn) {
  Stages stages(marrow::Run{.threads = 3}, {1, 1});
  EXPECT_EQ(stages.next().threads, 3);
  EXPECT_FALSE(stages.next().progress);
  stages.done();
}

/// A call by its name.
struct Call {
  const char* name;
  std::function<void(const Run&)> call;
};
void PrintTo(const Call& call, std::ostream* out) {
  *out << call.name;
}

class ProgressOf : public ::testing::TestWithParam<Call> {};

TEST_P(ProgressOf, TheCallIsOneBar) {
  Told told;
  GetParam().call(told.run());
  ASSERT_FALSE(told.overall.empty());
  EXPECT_TRUE(std::ranges::is_sorted(told.overall));
  EXPECT_DOUBLE_EQ(told.overall.back(), 1);
  EXPECT_GE(told.overall.front(), 0);
  double before = 0;
  for (std::size_t k = 0; k < told.overall.size(); ++k) {
    EXPECT_LE(told.overall[k] - before, 0.25) << "to " << told.overall[k] << " in " << told.stages[k];
    before = told.overall[k];
  }
  EXPECT_TRUE(std::ranges::is_sorted(told.errors, std::ranges::greater()));
}

const Rig& body() {
  static const Rig rig = synthetic::quadruped({.vertices = 1500, .frames = 24});
  return rig;
}
const Sequence& frames() {
  static const Sequence sequence = synthetic::observe(body());
  return sequence;
}
const Rig& dense() {
  static const Rig rig = decompose(frames(), {.bones = 12, .influences = 12, .effort = Effort::fast}).value;
  return rig;
}

const Call calls[] = {
    {"decompose", [](const Run& run) { decompose(frames(), {}, run); }},
    {"decompose_flexible",
     [](const Run& run) {
       decompose(frames(), {.bones = 8, .kind = BoneKind::flexible, .rest_pose = RestPose::once}, run);
     }},
    {"decompose_best", [](const Run& run) { decompose(frames(), {.bones = 6, .effort = Effort::best}, run); }},
    {"decompose_to_error", [](const Run& run) { decompose_to_error(frames(), 8, {.bones = 16}, run); }},
    {"bone_curve", [](const Run& run) { bone_curve(frames(), {.bones = 12}, run); }},
    {"hold_out", [](const Run& run) { hold_out(frames(), 0.5, {.bones = 8}, run); }},
    {"fit_weights", [](const Run& run) { fit_weights(frames(), body(), {}, run); }},
    {"skeleton", [](const Run& run) { extract_skeleton(frames(), {}, run); }},
    {"skeleton_auto", [](const Run& run) { extract_skeleton(frames(), {.bones = 0, .most_bones = 12}, run); }},
    {"skeleton_of_a_rig", [](const Run& run) { extract_skeleton(frames(), body(), {}, run); }},
    {"skeleton_free", [](const Run& run) { extract_skeleton(frames(), {.free_translation = true}, run); }},
    {"reduce", [](const Run& run) { reduce(dense(), {.influences = 3}, nullptr, run); }},
    {"reduce_poisson",
     [](const Run& run) { reduce(dense(), {.influences = 3, .method = ReduceMethod::poisson}, nullptr, run); }},
    {"compress", [](const Run& run) { compress(dense(), CompressOptions{}, nullptr, run); }},
    {"compress_with_frames", [](const Run& run) { compress(dense(), CompressOptions{}, &frames(), run); }},
    {"compress_and_refit",
     [](const Run& run) {
       CompressOptions options;
       options.refit = Refit::rest;
       options.effort = Effort::fast;
       compress(dense(), options, &frames(), run);
     }},
    {"ddm", [](const Run& run) { make_ddm(body(), {}, run); }},
    {"compressed_ddm",
     [](const Run& run) {
       const Rig rig = synthetic::quadruped({.vertices = 600, .frames = 4});
       compress(make_ddm(rig).value, {.virtual_bones = 40}, default_ranges(rig.skeleton), run);
     }},
};

INSTANTIATE_TEST_SUITE_P(Calls, ProgressOf, ::testing::ValuesIn(calls),
                         [](const auto& call) { return std::string(call.param.name); });

}  // namespace
}  // namespace marrow
