#pragma once

#include <optional>
#include <string>
#include <vector>

#include "marrow/mesh.hpp"
#include "skeleton/tree.hpp"

namespace marrow::skeleton {

/// A plane that the rest pose is its own mirror image in: coordinate `axis` = `offset`.
struct MirrorPlane {
  std::size_t axis = 0;  ///< 0: x, 2: z
  double offset = 0;     ///< model units
};
/// Nothing where the rest pose has no such plane.
std::optional<MirrorPlane> find_mirror_plane(const Mesh& mesh);

/// What a bone moves, in model units.
struct Region {
  Eigen::Vector3d middle;
  double mass = 0;  ///< vertices
};

/// Bones in the order of the rig, parents first and chains in one piece, with the names they get.
struct Naming {
  std::vector<std::size_t> order;  ///< bones by the solver's number
  std::vector<std::string> names;  ///< in that order
  std::vector<std::size_t> next;   ///< by the solver's number: the child that goes on with the chain, or none
};
/// `size`: of the rest pose. Roots beside the first hang under it.
Naming name_bones(const Tree& tree, const std::vector<Region>& regions, const std::optional<MirrorPlane>& plane,
                  double size);

}  // namespace marrow::skeleton
