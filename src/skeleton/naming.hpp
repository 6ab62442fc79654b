#pragma once

#include <optional>
#include <string>
#include <vector>

#include "marrow/mesh.hpp"
#include "skeleton/tree.hpp"

namespace marrow::skeleton {

/// A plane of symmetry of the rest pose: coordinate `axis` = `offset`.
struct MirrorPlane {
  std::size_t axis = 0;  ///< 0: x, 2: z
  double offset = 0;     ///< model units
};
/// nullopt if the rest pose is not symmetric.
std::optional<MirrorPlane> find_mirror_plane(const Mesh& mesh);

/// The vertices of a bone: weighted centroid (model units) and sum of weights.
struct Region {
  Eigen::Vector3d middle;
  double mass = 0;  ///< number of vertices
};

/// Bones in the order of the rig (parents first, chains contiguous) with their names.
struct Naming {
  std::vector<std::size_t> order;  ///< solver's indices
  std::vector<std::string> names;  ///< in this order
  std::vector<std::size_t> next;   ///< by the solver's index: the child that continues the chain, or `none`
};
/// `size`: of the rest pose. Further roots become children of the first.
Naming name_bones(const Tree& tree, const std::vector<Region>& regions, const std::optional<MirrorPlane>& plane,
                  double size);

}  // namespace marrow::skeleton
