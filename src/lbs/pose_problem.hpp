#pragma once

#include "lbs/bone_tables.hpp"
#include "lbs/bones.hpp"
#include "lbs/matrices.hpp"
#include "lbs/points.hpp"
#include "lbs/space.hpp"
#include "marrow/rig.hpp"

namespace marrow::lbs {

/// Sets the rest pose of a rig in the space, for points.count vertices.
void set_rest(const Rig& rig, const Space& space, Points& points);
/// Orthonormal columns that span the columns of M.
RowMatrix span_of(const Bones& bones);

/// Targets of all vertices in the poses, and the positions each bone predicts, in exact reduced coordinates: Q is an
/// orthonormal basis of the columns of M, the bones' motion. With M = Q R, bone j predicts R_j u~ for vertex u. The
/// part of a target outside the span of Q does not depend on weights.
struct PoseProblem {
  Space space;
  Bones bones;                  ///< M: 3 frames x 4 bones
  RowMatrix factor;             ///< R: rank x 4 bones
  std::vector<double> by_bone;  ///< R by bone: [bone][4][rank]
  Points points;                ///< targets and rest positions
  BoneTables tables;            ///< sum_t M_j^T M_k and R, for the kernels

  /// `target`: null for the rig's own deformation.
  PoseProblem(const Rig& rig, const Motion& poses, const Sequence* target, const Run& run);

  std::size_t bone_count() const { return lbs::bone_count(bones); }
  std::size_t rank() const { return points.rank; }
};

}  // namespace marrow::lbs
