#include "skeleton/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/check.hpp"
#include "core/option_fields.hpp"
#include "decomposition/options.hpp"
#include "marrow/error.hpp"
#include "skeleton/given_tree.hpp"

namespace marrow {

const EnumNames<SkeletonMethod>& skeleton_method_names() {
  static const EnumNames<SkeletonMethod> names = {
      {SkeletonMethod::multi, "multi", "weights, joints, tree and motion in turn (Le and Deng 2014)"},
      {SkeletonMethod::schaefer, "schaefer", "rigid clusters by merging (Schaefer and Yuksel 2007); single-pass"},
      {SkeletonMethod::aguiar, "aguiar", "clusters by distances between vertices (de Aguiar et al. 2008); single-pass"},
      {SkeletonMethod::hasler, "hasler", "clusters by how vertices turn (Hasler et al. 2010); single-pass"}};
  return names;
}

std::vector<Option> option_table(SkeletonOptions& options) {
  using O = SkeletonOptions;
  const OptionFields<O> field(options);
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  return {
      field("bones", &O::bones,
            {.help = "Number of bones; auto: as many as the motion needs",
             .least = 1,
             .words = {{"auto", std::int64_t(0)}}}),
      field("most_bones", &O::most_bones,
            {.help = "Bones to begin with where their number is found",
             .least = 1,
             .flag = "--max-bones",
             .with = "bones",
             .with_values = {"auto"}}),
      field("influences", &O::influences, {.help = "Bones per vertex, at most", .least = 1, .words = {{"all", all}}}),
      field("smooth", &O::smooth,
            {.help = "How much weights are drawn to those of near vertices", .least = 0, .zero = "not at all"}),
      field("effort", &O::effort, effort_names(), {.help = "How much time to spend on a better result"}),
      field("method", &O::method, skeleton_method_names(), {.help = "How bones become a skeleton"}),
      field("free_translation", &O::free_translation, {.help = "Joints may come apart"}),
      field("ends", &O::ends,
            {.help = "Add bones without vertices at the ends of chains",
             .flag_help = "Add no bones without vertices at the ends of chains"}),
  };
}

namespace skeleton {
namespace {

/// Largest orthonormality defect of rotations that were stored as floats.
constexpr double most_defect = 1e-4;

}  // namespace

DecomposeOptions free_bones(const SkeletonOptions& options, std::size_t bones) {
  return {.bones = bones, .influences = options.influences, .smooth = options.smooth, .effort = options.effort};
}

std::size_t starting_bones(const Sequence& sequence, const SkeletonOptions& options) {
  if (options.tree) return options.tree->bones.size();
  if (options.bones > 0) return options.bones;
  return std::min(options.most_bones, sequence.vertices());
}

void check(const Sequence& sequence, const SkeletonOptions& options) {
  check_ranges(options);
  if (options.tree) check(*options.tree, true);
  decomposition::check(sequence, free_bones(options, starting_bones(sequence, options)));
  if (options.method == SkeletonMethod::multi) return;
  const auto refuse = [](const char* where, const char* message) {
    throw Error(ErrorCode::bad_request, where, message);
  };
  if (options.bones == 0) refuse("bones", "only the method multi finds the number of bones; give one");
  if (options.tree) refuse("tree", "only the method multi fits a given tree");
  if (options.free_translation) refuse("free_translation", "only the method multi can leave joints open");
}

void check(const Sequence& sequence, const Rig& rig, const SkeletonOptions& options) {
  validate(rig);
  check_ranges(options);
  decomposition::check(sequence, free_bones(options, rig.bones()));
  decomposition::check(sequence, rig.motion);
  require(rig.vertices() == sequence.vertices(), "rig", [&] {
    return fmt::format("the rig has {} vertices, the sequence {}; they must be of the same mesh", rig.vertices(),
                       sequence.vertices());
  });
  for (std::size_t e = 0; e < rig.motion.transforms.size(); ++e) {
    require(orthonormality_defect(rig.motion.transforms[e]) < most_defect && determinant(rig.motion.transforms[e]) > 0,
            "rig", [&] {
              return fmt::format(
                  "bone \"{}\" scales in frame {}; a skeleton is made of rigid bones: decompose with "
                  "kind rigid",
                  rig.skeleton.names[e % rig.bones()], e / rig.bones());
            });
  }
  if (options.tree) check(*options.tree, false);
}

Schedule schedule(Effort effort) {
  switch (effort) {
    case Effort::fast:
      return {.soft = 1, .tries = 0, .starts = 1, .sharpen = 0, .settle = 5, .hard = 10};
    case Effort::best:
      return {.soft = 4, .tries = 10, .starts = 3, .sharpen = 6, .settle = 60, .hard = 150, .least_gain = 5e-4};
    case Effort::normal:
      break;
  }
  return {};
}

}  // namespace skeleton
}  // namespace marrow
