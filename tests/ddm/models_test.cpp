// Real characters, where they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>

#include "marrow/ddm.hpp"
#include "marrow/deform.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/metrics.hpp"
#include "support/files.hpp"
#include "support/rigs.hpp"

namespace marrow {
namespace {

double largest(std::span<const Vec3> a, std::span<const Vec3> b) {
  const std::vector<float> distances = vertex_errors(a, b);
  return double(*std::ranges::max_element(distances));
}

/// Every step-th frame of all clips, as one.
Rig thinned(Rig rig, std::size_t step) {
  Motion motion{{}, rig.bones(), {}};
  for (std::size_t t = 0; t < rig.frames(); t += step) {
    motion.transforms.insert(motion.transforms.end(), rig.motion.frame(t).begin(), rig.motion.frame(t).end());
  }
  motion.timeline = Timeline::uniform(motion.transforms.size() / rig.bones(), 30);
  rig.motion = std::move(motion);
  return rig;
}

/// Nothing where the file needs an extension that is not supported, such as compressed meshes.
std::optional<Animated> read_supported(const std::filesystem::path& path) {
  try {
    return read({path.string()});
  } catch (const Error& error) {
    if (std::string_view(error.what()).find("extensionsRequired") == std::string_view::npos) throw;
    std::printf("skipped: %s\n", error.what());
    return std::nullopt;
  }
}

TEST(DdmModels, TheRestPoseOfEveryModelStays) {
  MARROW_NEEDS_SHARED(shared);
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shared / "data/models")) {
    if (entry.path().extension() != ".glb") continue;
    const std::optional<Animated> animated = read_supported(entry.path());
    const Rig* rig = animated ? std::get_if<Rig>(&*animated) : nullptr;
    if (rig == nullptr) continue;
    ++seen;
    const DdmRig ddm = make_ddm(*rig).value;
    validate(ddm);
    const double size = size_of(rig->mesh.positions);
    std::vector<Vec3> positions(rig->vertices());
    deform(ddm, std::vector<Affine>(rig->bones()), positions);
    EXPECT_LT(largest(positions, rig->mesh.positions), 1e-5 * size) << entry.path();
    const Affine away = Affine::translation(1e4, 0, 1e4) * testing::rotation(3, 1, 2, 1);
    deform_from_root(ddm, std::vector<Affine>(rig->bones(), away), positions);
    EXPECT_LT(largest(positions, rig->mesh.positions), 1e-5 * size) << entry.path();
    // RobotExpressive's hands are skins bound at another scale than its other parts, which hang on the bones
    // themselves.
    if (entry.path().stem() == "RobotExpressive") continue;
    // Their bones move without scale: nothing is left of an armature in other units than its inverse bind matrices.
    double defect = 0;
    for (const Affine& m : rig->motion.transforms) defect = std::max(defect, orthonormality_defect(m));
    EXPECT_LT(defect, 1e-4) << entry.path();
  }
  EXPECT_GE(seen, 7u);
}

TEST(DdmModels, XbotIsNearToDeltaMush) {
  MARROW_NEEDS_SHARED(shared);
  const Rig rig = thinned(read_rig(shared / "data/models/Xbot.glb"), 40);
  const Sequence mush = DeltaMush(rig).bake();
  EXPECT_LE(3 * compare(mush, bake(make_ddm(rig).value)).error.rms, compare(mush, rig).error.rms);
}

}  // namespace
}  // namespace marrow
