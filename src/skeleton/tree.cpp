// Le & Deng 2014 (slides, single-pass): joint of a pair (Anguelov et al. 2004), cost g(a, b), spanning tree. Differs:
// mu is relative to the motion, the hint may be the overlap of weights, the root is the central bone.
#include "skeleton/tree.hpp"

#include <algorithm>
#include <numeric>

#include "lbs/bones.hpp"
#include "lbs/matrices.hpp"
#include "lbs/products.hpp"
#include "lbs/transforms.hpp"

namespace marrow::skeleton {
namespace {

using Eigen::Index;
using Eigen::Vector3d;

/// mu of the joint position solver, relative to the mean curvature of the motion term.
constexpr double joint_pull = 1e-3;
/// Smallest common weight of a candidate pair, as a share of the lighter bone's weight.
constexpr double least_shared = 1e-3;

/// sum_t (M_a - M_b)^T (M_a - M_b), from the product of all bones.
Eigen::Matrix4d difference(const lbs::RowMatrix& products, std::size_t a, std::size_t b) {
  const auto block = [&](std::size_t j, std::size_t l) { return products.block<4, 4>(Index(4 * j), Index(4 * l)); };
  return block(a, a) + block(b, b) - block(a, b) - block(b, a);
}

/// Joint position solver of the slides (after Anguelov et al. 2004): min_o sum_t |(M_a - M_b) o~|^2 + mu |o - hint|^2.
Link solve_joint(const Eigen::Matrix4d& d, const lbs::Normal& normal, std::size_t a, std::size_t b, Pull pull) {
  const Eigen::Matrix3d curvature = d.topLeftCorner<3, 3>();
  // If the bones move alike, the hint decides.
  const double mu = joint_pull * curvature.trace() / 3 + 1e-12 * double(normal.n.rows());
  const Vector3d hint = joint_hint(normal, a, b, pull);
  const Eigen::Matrix3d system = curvature + mu * Eigen::Matrix3d::Identity();
  Link link{a, b, system.ldlt().solve(mu * hint - d.block<3, 1>(0, 3)), 0};
  const Eigen::Vector4d o = link.joint.homogeneous();
  link.cost = std::max(0.0, o.dot(d * o)) / std::max(1e-12, normal.shared(a, b));
  return link;
}

/// Adjacency of the joined bones.
struct Adjacency {
  std::vector<std::vector<std::pair<std::size_t, Vector3d>>> next;  ///< per bone: neighbour and joint

  Adjacency(const std::vector<Link>& links, std::size_t bones) : next(bones) {
    for (const Link& link : links) {
      next[link.a].emplace_back(link.b, link.joint);
      next[link.b].emplace_back(link.a, link.joint);
    }
  }
};

/// Orients the part of `root` away from it. Returns the sum over bones of mass * path length from the root's centroid.
double hang_part(const Adjacency& adjacency, const lbs::Normal& normal, std::size_t root, Tree& tree) {
  struct Step {
    std::size_t bone;
    double way;  ///< path length to the bone's centroid
  };
  std::vector<Step> queue{{root, 0}};
  tree.parents[root] = none;
  tree.joints[root] = middle(normal, root);
  double sum = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const auto [bone, way] = queue[head];
    sum += mass(normal, bone) * way;
    tree.order.push_back(bone);
    for (const auto& [child, joint] : adjacency.next[bone]) {
      if (child == tree.parents[bone]) continue;
      tree.parents[child] = bone;
      tree.joints[child] = joint;
      queue.push_back({child, way + (joint - middle(normal, bone)).norm() + (middle(normal, child) - joint).norm()});
    }
  }
  return sum;
}

Tree empty_tree(std::size_t bones) {
  return {std::vector<std::size_t>(bones, none), std::vector<Vector3d>(bones, Vector3d::Zero()), {}};
}

}  // namespace

double mass(const lbs::Normal& normal, std::size_t j) {
  double sum = 0;
  for (std::size_t l = 0; l < normal.bones; ++l) sum += normal.shared(j, l);
  return sum;
}

Vector3d middle(const lbs::Normal& normal, std::size_t j) {
  // sum_k H_jk = sum_i w_ij p~ p~^T, because weights sum to 1.
  Eigen::Vector4d sum = Eigen::Vector4d::Zero();
  for (std::size_t l = 0; l < normal.bones; ++l) {
    if (normal.linked(j, l)) sum += normal.block(j, l).col(3);
  }
  return sum[3] > 0 ? Vector3d(sum.head<3>() / sum[3]) : Vector3d::Zero();
}

Vector3d joint_hint(const lbs::Normal& normal, std::size_t a, std::size_t b, Pull pull) {
  if (pull != Pull::overlap || normal.shared(a, b) <= 0) return 0.5 * (middle(normal, a) + middle(normal, b));
  const Eigen::Vector4d both = normal.block(a, b).col(3);
  return both.head<3>() / both[3];
}

std::vector<Link> find_links(const lbs::Bones& bones, const lbs::Normal& normal, Pull pull, const Run& run) {
  const lbs::RowMatrix products = lbs::transposed_product(bones, bones, run);
  std::vector<Link> links;
  for (std::size_t a = 0; a < normal.bones; ++a) {
    for (std::size_t b = a + 1; b < normal.bones; ++b) {
      const double lighter = std::min(mass(normal, a), mass(normal, b));
      if (normal.shared(a, b) > least_shared * lighter)
        links.push_back(solve_joint(difference(products, a, b), normal, a, b, pull));
    }
  }
  return links;
}

Link find_link(const lbs::Bones& bones, const lbs::Normal& normal, std::size_t a, std::size_t b, Pull pull,
               const Run& run) {
  lbs::Bones two(bones.rows(), 8);
  two << bones.middleCols<4>(Index(4 * a)), bones.middleCols<4>(Index(4 * b));
  return solve_joint(difference(lbs::transposed_product(two, two, run), 0, 1), normal, a, b, pull);
}

std::vector<Link> spanning_links(std::vector<Link> links, std::size_t bones) {
  std::ranges::stable_sort(links, {}, &Link::cost);
  std::vector<std::size_t> part(bones);
  std::iota(part.begin(), part.end(), std::size_t(0));
  std::vector<Link> chosen;
  for (const Link& link : links) {
    const std::size_t keep = part[link.a], gone = part[link.b];
    if (keep == gone) continue;
    std::ranges::replace(part, gone, keep);
    chosen.push_back(link);
  }
  return chosen;
}

Tree hang(const std::vector<Link>& links, const lbs::Normal& normal) {
  const std::size_t bones = normal.bones;
  const Adjacency adjacency(links, bones);
  Tree tree = empty_tree(bones);
  std::vector<bool> placed(bones, false);
  for (std::size_t first = 0; first < bones; ++first) {
    if (placed[first]) continue;
    Tree scratch = empty_tree(bones);
    hang_part(adjacency, normal, first, scratch);
    std::size_t best = first;
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t candidate : scratch.order) {
      placed[candidate] = true;
      Tree trial = empty_tree(bones);
      const double sum = hang_part(adjacency, normal, candidate, trial);
      if (sum < least) {
        least = sum;
        best = candidate;
      }
    }
    hang_part(adjacency, normal, best, tree);
  }
  return tree;
}

Tree hang_again(const Tree& tree, const lbs::Normal& normal) {
  std::vector<Link> links;
  for (const std::size_t j : tree.order) {
    if (!tree.is_root(j)) links.push_back({tree.parents[j], j, tree.joints[j], 0});
  }
  return hang(links, normal);
}

Tree hang_as(const std::vector<std::size_t>& parents, const std::vector<Link>& links, const lbs::Normal& normal) {
  Tree tree = empty_tree(parents.size());
  std::vector<Link> used;
  for (const Link& link : links) {
    if (parents[link.a] == link.b || parents[link.b] == link.a) used.push_back(link);
  }
  const Adjacency adjacency(used, parents.size());
  for (std::size_t j = 0; j < parents.size(); ++j) {
    if (parents[j] == none) hang_part(adjacency, normal, j, tree);
  }
  return tree;
}

}  // namespace marrow::skeleton
