#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <limits>
#include <vector>

#include "lbs/bones.hpp"
#include "lbs/transforms.hpp"

namespace marrow::skeleton {

inline constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// Two bones and the rest point at which they stay together best.
struct Link {
  std::size_t a = 0, b = 0;
  Eigen::Vector3d joint = Eigen::Vector3d::Zero();
  double cost = 0;  ///< g(a, b) of the slides: how far apart the bones carry the joint, over the weight they share
};

/// Where the joint of two bones is drawn to in directions that their motion leaves open.
enum class Pull {
  centroids,  ///< the middle between the centroids of what they move (Anguelov et al. 2004)
  overlap,    ///< the middle of what follows both
};

/// Bones in a hierarchy, in the solver's space and numbering. Several roots: parts that share no vertex.
struct Tree {
  std::vector<std::size_t> parents;     ///< per bone; none at a root
  std::vector<Eigen::Vector3d> joints;  ///< where a bone meets its parent at rest; a root: the middle of what it moves
  std::vector<std::size_t> order;       ///< all bones, parents first

  std::size_t bones() const { return parents.size(); }
  bool is_root(std::size_t j) const { return parents[j] == none; }
};

/// The middle of what bone j moves; the origin for a bone without weight.
Eigen::Vector3d middle(const lbs::Normal& normal, std::size_t j);
/// Where the joint of a and b is drawn to.
Eigen::Vector3d joint_hint(const lbs::Normal& normal, std::size_t a, std::size_t b, Pull pull);

/// All pairs of bones that share a vertex, by rising a, then b.
std::vector<Link> find_links(const lbs::Bones& bones, const lbs::Normal& normal, Pull pull, const Run& run);
/// The joint of two bones, sharing vertices or not.
Link find_link(const lbs::Bones& bones, const lbs::Normal& normal, std::size_t a, std::size_t b, Pull pull,
               const Run& run);

/// Minimum spanning tree by cost; a forest where parts share no vertex.
std::vector<Link> spanning_links(std::vector<Link> links, std::size_t bones);

/// Hangs every part on its middle: the bone with the least sum over all bones of vertices moved x way along the tree.
/// That depends on the rest pose, the weights and the joints only, not on what any frame shows.
Tree hang(const std::vector<Link>& links, const lbs::Normal& normal);
/// The same joints, hung that way again after weights and joints changed. Motion that obeys them still does.
Tree hang_again(const Tree& tree, const lbs::Normal& normal);
/// The same bones with other parents (none at roots, no circles); joints from `links`, which hold every pair needed.
Tree hang_as(const std::vector<std::size_t>& parents, const std::vector<Link>& links, const lbs::Normal& normal);

/// How many vertices follow bone j, in parts.
double mass(const lbs::Normal& normal, std::size_t j);

}  // namespace marrow::skeleton
