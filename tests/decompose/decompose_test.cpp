#include "marrow/decompose.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "marrow/synthetic.hpp"
#include "support/files.hpp"

namespace marrow {
namespace {

/// What must hold for every result: a valid rig, exactly the bones asked for, each of use, all rigid.
void expect_sound(const Rig& rig, std::size_t bones, std::size_t influences) {
  validate(rig);
  EXPECT_EQ(rig.bones(), bones);
  EXPECT_LE(rig.weights.max_influences(), influences);
  std::vector<bool> used(bones);
  for (const std::uint32_t j : rig.weights.bones) used[j] = true;
  EXPECT_EQ(std::ranges::count(used, true), static_cast<std::ptrdiff_t>(bones));
  for (const Affine& m : rig.motion.transforms) {
    ASSERT_LT(orthonormality_defect(m), 1e-9);
    ASSERT_GT(determinant(m), 0);
  }
}

TEST(Decompose, FindsTheBonesOfSyntheticRigs) {
  const synthetic::Options options{.vertices = 1500, .frames = 30};
  for (const Rig& truth : {synthetic::bar(options), synthetic::shells(options)}) {
    const Sequence sequence = bake(truth);
    const Result<Rig> result = decompose(sequence, {.bones = truth.bones()});
    expect_sound(result.value, truth.bones(), 4);
    EXPECT_LT(compare(sequence, result.value).e_rms, 0.25) << truth.bones() << " bones";
  }
}

TEST(Decompose, MoreEffortIsNotWorseAndMoreBonesAreBetter) {
  const Sequence sequence = synthetic::jelly({.vertices = 800, .frames = 20});
  const auto error = [&](std::size_t bones, Effort effort) {
    return compare(sequence, decompose(sequence, {.bones = bones, .effort = effort}).value).e_rms;
  };
  EXPECT_LE(error(8, Effort::normal), 1.02 * error(8, Effort::fast));
  EXPECT_LT(error(16, Effort::fast), 0.8 * error(8, Effort::fast));
}

TEST(Decompose, SolverAndJudgeAgree) {
  const Sequence sequence = synthetic::cape({.vertices = 600, .frames = 20});
  const Result<Rig> result = decompose(sequence, {.bones = 6, .smooth = 0});
  EXPECT_NEAR(result.report.error_curve.back(), compare(sequence, result.value).e_rms,
              0.02 * result.report.error_curve.back());
  EXPECT_TRUE(std::ranges::is_sorted(result.report.error_curve, std::ranges::greater()));
}

TEST(Decompose, SameBytesForAnyThreadCount) {
  const Sequence sequence = synthetic::cape({.vertices = 700, .frames = 12});
  const Rig one = decompose(sequence, {.bones = 7}, {.threads = 1}).value;
  for (const int threads : {2, 7}) EXPECT_EQ(decompose(sequence, {.bones = 7}, {.threads = threads}).value, one);
}

TEST(Decompose, ExactlyTheBonesAskedForWhateverTheInput) {
  const synthetic::Options options{.vertices = 200, .frames = 6};
  Sequence still = synthetic::jelly(options);
  for (std::size_t t = 0; t < still.frames(); ++t) std::ranges::copy(still.mesh.positions, still.frame(t).begin());
  Sequence cloud = synthetic::jelly(options);
  cloud.mesh.face_offsets.clear();
  cloud.mesh.face_vertices.clear();
  const Sequence bar = bake(synthetic::bar(options)), poses = bake(synthetic::poses(options));
  for (const Sequence* sequence : std::vector<const Sequence*>{&still, &cloud, &bar, &poses}) {
    for (const std::size_t bones : {1, 2, 40}) {
      for (const std::size_t influences : {1, 4, 16}) {
        const Result<Rig> result =
            decompose(*sequence, {.bones = bones, .influences = influences, .effort = Effort::fast});
        expect_sound(result.value, bones, influences);
      }
    }
  }
}

TEST(Decompose, AsManyBonesAsVertices) {
  Sequence tetrahedron;
  tetrahedron.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  tetrahedron.mesh.face_offsets = {0, 3, 6, 9, 12};
  tetrahedron.mesh.face_vertices = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  tetrahedron.timeline = Timeline::uniform(3, 30);
  for (int t = 0; t < 3; ++t) {
    for (const Vec3& p : tetrahedron.mesh.positions) {
      tetrahedron.positions.push_back({p.x * static_cast<float>(1 + t), p.y, p.z + static_cast<float>(t)});
    }
  }
  for (const std::size_t bones : {1, 2, 3, 4}) {
    for (const std::size_t influences : {1, 4}) {
      expect_sound(decompose(tetrahedron, {.bones = bones, .influences = influences}).value, bones, influences);
    }
  }
}

TEST(Decompose, RefusesWhatCannotBeDone) {
  const Sequence sequence = synthetic::jelly({.vertices = 100, .frames = 3});
  const auto code = [](const Sequence& s, const DecomposeOptions& options) {
    try {
      decompose(s, options);
    } catch (const Error& error) {
      return error.code();
    }
    ADD_FAILURE() << "was not refused";
    return ErrorCode::stopped;
  };
  EXPECT_EQ(code(sequence, {.bones = 0}), ErrorCode::bad_request);
  EXPECT_EQ(code(sequence, {.bones = sequence.vertices() + 1}), ErrorCode::bad_request);
  EXPECT_EQ(code(sequence, {.influences = 0}), ErrorCode::bad_request);
  EXPECT_EQ(code({}, {}), ErrorCode::bad_input);
  Sequence collapsed = sequence;
  std::ranges::fill(collapsed.mesh.positions, Vec3{1, 1, 1});
  EXPECT_EQ(code(collapsed, {}), ErrorCode::bad_input);
  Sequence broken = sequence;
  broken.positions[5].x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(code(broken, {}), ErrorCode::bad_input);
}

TEST(Decompose, StopsWhenAsked) {
  std::stop_source source;
  const marrow::Run run{.stop = source.get_token(), .progress = [&](const Progress&) { source.request_stop(); }};
  const Sequence sequence = synthetic::jelly({.vertices = 500, .frames = 10});
  EXPECT_THROW(decompose(sequence, {.bones = 8}, run), Error);
}

TEST(Decompose, RealSequencesStayBelowTheirCeilings) {
  MARROW_NEEDS_SHARED(shared);
  struct Row {
    const char* name;
    std::size_t bones;
    double ceiling;  // E_RMS, rest pose kept, fast
  };
  for (const Row& row : {Row{"cat-poses", 15, 5.6}, Row{"horse-collapse", 10, 6.4}, Row{"pcow", 10, 11.1}}) {
    const Sequence sequence = read_sequence({(shared / "data/sequences" / (std::string(row.name) + ".pc2")).string()});
    const Rig rig = decompose(sequence, {.bones = row.bones, .smooth = 0, .effort = Effort::fast}).value;
    expect_sound(rig, row.bones, 4);
    EXPECT_LT(compare(sequence, rig).e_rms, row.ceiling) << row.name;
  }
}

}  // namespace
}  // namespace marrow
