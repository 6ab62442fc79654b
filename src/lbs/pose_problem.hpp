#pragma once

#include "lbs/bone_tables.hpp"
#include "lbs/bones.hpp"
#include "lbs/matrices.hpp"
#include "lbs/points.hpp"
#include "lbs/space.hpp"
#include "marrow/rig.hpp"

namespace marrow::lbs {

/// The rest pose of a rig in a space, for as many points as there are.
void set_rest(const Rig& rig, const Space& space, Points& points);
/// Orthonormal columns whose span has all those of M.
RowMatrix span_of(const Bones& bones);

/// What every vertex should do in the poses, and what each bone would have it do, in coordinates that lose nothing: an
/// orthonormal basis Q of the space that the bones' motions span. With M = Q R, what bone j makes of vertex u is R_j u,
/// and the part of a target outside of the space is the same for all weights.
struct PoseProblem {
  Space space;
  Bones bones;                  ///< M: 3 frames x 4 bones
  RowMatrix factor;             ///< R: rank x 4 bones
  std::vector<double> by_bone;  ///< R again, [bone][4][rank]
  Points points;                ///< targets and rest pose
  BoneTables tables;            ///< sum_t M_j^T M_k and R, as the kernels take them

  /// `target`: null for the rig's own deformation.
  PoseProblem(const Rig& rig, const Motion& poses, const Sequence* target, const Run& run);

  std::size_t bone_count() const { return lbs::bone_count(bones); }
  std::size_t rank() const { return points.rank; }
};

}  // namespace marrow::lbs
