#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "marrow/bone_tree.hpp"
#include "marrow/effort.hpp"
#include "marrow/enum_names.hpp"
#include "marrow/options.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// How the skeleton is found.
enum class SkeletonMethod {
  multi,     ///< Le & Deng 2014: weights, joints, tree and motion in turn, while joints become hard constraints
  schaefer,  ///< Schaefer & Yuksel 2007: rigid clusters by merging; the rest in a single pass
  aguiar,    ///< de Aguiar et al. 2008: spectral clusters by changes of distances; the rest in a single pass
  hasler,    ///< Hasler et al. 2010: spectral clusters by rotations; the rest in a single pass
};
/// Names on the command line and in reports.
const EnumNames<SkeletonMethod>& skeleton_method_names();

struct SkeletonOptions {
  /// Exact number; 0 (`multi` only): as many as the motion needs, at most most_bones. Single-pass methods: at most 300,
  /// and at most the number of distinct vertex positions.
  std::size_t bones = 20;
  std::size_t most_bones = 30;  ///< most bones if `bones` is 0
  std::size_t influences = 4;   ///< most bones per vertex, from 1
  double smooth = 1;            ///< strength of smoothing the weights over the mesh, from 0 (none)
  Effort effort = Effort::normal;
  SkeletonMethod method = SkeletonMethod::multi;
  bool free_translation = false;   ///< keep the bones' own translations instead of fixed joints
  bool ends = true;                ///< add a bone without vertices, NAME_end, at the far end of every leaf bone
  std::optional<BoneTree> tree{};  ///< given hierarchy instead of a found one; `bones` is ignored
};
/// Its fields for flags, JSON, reports and documentation.
std::vector<Option> option_table(SkeletonOptions& options);

/// Finds bones, weights and a hierarchy that reproduce the sequence by rotating bones about fixed joints. In every
/// frame a bone's local translation is that of the rest pose; only the root moves (and parts that share no vertex with
/// it). The motion obeys forward kinematics of the rotations, up to rounding. Names: root, then chain_I_J for bone J of
/// chain I, with _left or _right if the rest pose is symmetric. A bone's y axis points along it. Throws
/// Error{bad_request} for options out of range, Error{bad_input} for a sequence without vertices, frames or size. Warns
/// about bones without vertices.
Result<Rig> extract_skeleton(const Sequence& sequence, const SkeletonOptions& options = {}, const Run& run = {});

/// Starts from the bones of a rig that plays the sequence, as decompose() returns it. options.bones: 0 keeps the bones
/// that are needed, other values keep all. Weights are solved again; the rest pose is the rig's. With options.tree, its
/// names are those of the rig's bones. Throws Error{bad_input} for bones that scale.
Result<Rig> extract_skeleton(const Sequence& sequence, const Rig& rig, const SkeletonOptions& options = {},
                             const Run& run = {});

}  // namespace marrow
