#include "skeleton/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.hpp"
#include "decomposition/solver.hpp"
#include "marrow/error.hpp"
#include "skeleton/given_tree.hpp"

namespace marrow {

const std::map<std::string, SkeletonMethod>& skeleton_method_names() {
  static const std::map<std::string, SkeletonMethod> names = {{"multi", SkeletonMethod::multi},
                                                              {"schaefer", SkeletonMethod::schaefer},
                                                              {"aguiar", SkeletonMethod::aguiar},
                                                              {"hasler", SkeletonMethod::hasler}};
  return names;
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
  decomposition::check(sequence, free_bones(options, rig.bones()));
  decomposition::check(sequence, rig.motion);
  require(rig.vertices() == sequence.vertices(), "rig", [&] {
    return fmt::format("the rig has {} vertices, the sequence {}; they must be of the same mesh", rig.vertices(),
                       sequence.vertices());
  });
  for (std::size_t k = 0; k < rig.motion.transforms.size(); ++k) {
    require(orthonormality_defect(rig.motion.transforms[k]) < most_defect && determinant(rig.motion.transforms[k]) > 0,
            "rig", [&] {
              return fmt::format(
                  "bone \"{}\" scales in frame {}; a skeleton is made of rigid bones: decompose with "
                  "kind rigid",
                  rig.skeleton.names[k % rig.bones()], k / rig.bones());
            });
  }
  if (options.tree) check(*options.tree, false);
}

std::vector<std::pair<std::string, Setting>> settings(const SkeletonOptions& options) {
  const auto& names = skeleton_method_names();
  const auto method = std::ranges::find(names, options.method, [](const auto& entry) { return entry.second; });
  const std::size_t bones = options.tree ? options.tree->bones.size() : options.bones;
  std::vector<std::pair<std::string, Setting>> out =
      decomposition::settings(free_bones(options, bones > 0 ? bones : options.most_bones));
  out.emplace_back("bones_found", bones == 0);
  out.emplace_back("method", method->first);
  out.emplace_back("free_translation", options.free_translation);
  out.emplace_back("tree_given", options.tree.has_value());
  return out;
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
