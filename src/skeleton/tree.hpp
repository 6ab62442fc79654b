#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <limits>
#include <vector>

#include "lbs/bones.hpp"
#include "lbs/transforms.hpp"

namespace marrow::skeleton {

inline constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// Two bones and their best common rest point.
struct Link {
  std::size_t a = 0, b = 0;
  Eigen::Vector3d joint = Eigen::Vector3d::Zero();
  double cost = 0;  ///< g(a, b) of the slides: squared separation of the joint over the frames / common weight
};

/// Hint for the joint of two bones where their motion leaves it undetermined.
enum class Pull {
  centroids,  ///< midpoint of the two centroids (Anguelov et al. 2004)
  overlap,    ///< centroid of the product of the two bones' weights
};

/// A hierarchy by the solver's index, in the solver's space. It has several roots if parts share no vertex.
struct Tree {
  std::vector<std::size_t> parents;     ///< per bone; none at a root
  std::vector<Eigen::Vector3d> joints;  ///< rest position of the joint with the parent; at a root: its centroid
  std::vector<std::size_t> order;       ///< all bones, parents first

  std::size_t bones() const { return parents.size(); }
  bool is_root(std::size_t j) const { return parents[j] == none; }
};

/// Centroid of bone j's vertices; the origin if it has no weight.
Eigen::Vector3d middle(const lbs::Normal& normal, std::size_t j);
/// Hint for the joint of a and b.
Eigen::Vector3d joint_hint(const lbs::Normal& normal, std::size_t a, std::size_t b, Pull pull);

/// All pairs of bones that share vertices, in order of a, then b.
std::vector<Link> find_links(const lbs::Bones& bones, const lbs::Normal& normal, Pull pull, const Run& run);
/// The joint of two bones, whether they share vertices or not.
Link find_link(const lbs::Bones& bones, const lbs::Normal& normal, std::size_t a, std::size_t b, Pull pull,
               const Run& run);

/// Minimum spanning tree by cost; a forest if parts share no vertex.
std::vector<Link> spanning_links(std::vector<Link> links, std::size_t bones);

/// Orients every part from its central bone: the one with the least sum of mass * path length. Depends only on rest
/// pose, weights and joints.
Tree hang(const std::vector<Link>& links, const lbs::Normal& normal);
/// Orients the same joints again, after weights and joints have changed. Motion that obeys them still does.
Tree hang_again(const Tree& tree, const lbs::Normal& normal);
/// Orients by given parents (`none` at roots, no cycles); `links` must hold the joint of every pair.
Tree hang_as(const std::vector<std::size_t>& parents, const std::vector<Link>& links, const lbs::Normal& normal);

/// Sum of the weights of bone j over the vertices.
double mass(const lbs::Normal& normal, std::size_t j);

}  // namespace marrow::skeleton
