#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "marrow/bone_tree.hpp"
#include "marrow/effort.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// How bones become a skeleton.
enum class SkeletonMethod {
  multi,     ///< Le and Deng 2014: weights, joints, tree and motion in turn while the joints grow hard
  schaefer,  ///< Schaefer and Yuksel 2007: rigid clusters by merging; everything after them once
  aguiar,    ///< de Aguiar et al. 2008: spectral clusters by how distances between vertices change; the rest once
  hasler,    ///< Hasler et al. 2010: spectral clusters by how vertices turn; the rest once
};
/// What the values are called on the command line and in reports.
const std::map<std::string, SkeletonMethod>& skeleton_method_names();

struct SkeletonOptions {
  /// Exactly this many; 0: as many as the motion needs, at most most_bones. The single-pass methods take no more than
  /// 300, nor than there are places with vertices.
  std::size_t bones = 20;
  std::size_t most_bones = 30;  ///< to begin with where the number is found
  std::size_t influences = 4;   ///< bones per vertex, at most; from 1
  double smooth = 1;            ///< how much weights are drawn towards those of near vertices; 0: not at all
  Effort effort = Effort::normal;
  SkeletonMethod method = SkeletonMethod::multi;
  bool free_translation = false;  ///< joints may come apart: bones keep translations of their own
  bool ends = true;  ///< add a bone without vertices, NAME_end, at the far end of what each last bone of a chain moves
  std::optional<BoneTree> tree{};  ///< instead of one that is found; `bones` is not looked at
};

/// Finds bones, weights and a hierarchy that plays the sequence by turning bones about fixed joints: in every frame
/// each bone's local translation is that of the rest pose; only the root moves (and parts that share no vertex with
/// it). The rig's motion is what forward kinematics of those rotations gives, to rounding. Names: root, then chain_I_J
/// for bone J of chain I, with _left or _right where the rest pose has two sides. A bone's own y axis points along it.
/// Throws Error{bad_request} for options out of range, Error{bad_input} for a sequence without frames or size. Warns of
/// bones that move nothing.
Result<Rig> extract_skeleton(const Sequence& sequence, const SkeletonOptions& options = {}, const Run& run = {});

/// The same from the bones of a rig that plays the sequence, as decompose() makes them; options.bones is 0 (those that
/// are needed) or anything else (all). Weights are solved anew; the rest pose is the rig's, which decompose() may have
/// moved. With options.tree, its bones are those of the rig, by name. Error{bad_input} for bones that scale.
Result<Rig> extract_skeleton(const Sequence& sequence, const Rig& rig, const SkeletonOptions& options = {},
                             const Run& run = {});

}  // namespace marrow
