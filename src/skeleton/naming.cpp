// Order, chains and names for the bones of a tree.
#include "skeleton/naming.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/eigen_affine.hpp"
#include "marrow/metrics.hpp"

namespace marrow::skeleton {
namespace {

using Eigen::Vector3d;

/// Largest mean distance of a mirrored vertex to its nearest vertex, as a share of the size.
constexpr double mirror_tolerance = 0.01;
/// Number of vertices tested.
constexpr std::size_t mirror_samples = 400;
/// Bones whose mirrored centroids are this near, as a share of the size, form a pair. A bone nearer to the plane than
/// half of it lies on the plane.
constexpr double pair_tolerance = 0.06;

Vector3d mirrored(const MirrorPlane& plane, Vector3d p) {
  const auto axis = Eigen::Index(plane.axis);
  p[axis] = 2 * plane.offset - p[axis];
  return p;
}

/// Mean distance of mirrored vertices to the nearest vertex.
double mirror_error(const Mesh& mesh, const MirrorPlane& plane) {
  const std::size_t count = mesh.vertices(), looked_at = std::min(count, mirror_samples);
  double sum = 0;
  for (std::size_t e = 0; e < looked_at; ++e) {
    const Vector3d image = mirrored(plane, to_eigen(mesh.positions[e * count / looked_at]));
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vec3& p : mesh.positions) nearest = std::min(nearest, (to_eigen(p) - image).squaredNorm());
    sum += std::sqrt(nearest);
  }
  return sum / double(looked_at);
}

/// Mirror image of every bone: the bone nearest to its mirrored centroid, if mutual and both are off the plane; else
/// none.
std::vector<std::size_t> find_pairs(const std::vector<Region>& regions, const MirrorPlane& plane, double size) {
  const auto axis = Eigen::Index(plane.axis);
  const auto nearest = [&](std::size_t j) {
    const Vector3d image = mirrored(plane, regions[j].middle);
    std::size_t best = none;
    double least = pair_tolerance * size;
    for (std::size_t e = 0; e < regions.size(); ++e) {
      const double distance = (regions[e].middle - image).norm();
      if (distance >= least) continue;
      least = distance;
      best = e;
    }
    return best;
  };
  const auto beside = [&](std::size_t j) {
    return std::abs(regions[j].middle[axis] - plane.offset) > 0.5 * pair_tolerance * size;
  };
  std::vector<std::size_t> pairs(regions.size(), none);
  for (std::size_t j = 0; j < regions.size(); ++j) {
    const std::size_t l = nearest(j);
    if (l != none && l != j && beside(j) && beside(l) && nearest(l) == j) pairs[j] = l;
  }
  return pairs;
}

/// Whether a point is on the left side of a figure that faces +z (or +x if the plane is across z).
bool on_left(const MirrorPlane& plane, const Vector3d& p) {
  const double beyond = p[Eigen::Index(plane.axis)] - plane.offset;
  return plane.axis == 0 ? beyond > 0 : beyond < 0;
}

class Namer {
 public:
  Namer(const Tree& tree, const std::vector<Region>& regions) : children_(tree.bones()), below_(tree.bones()) {
    result_.next.assign(tree.bones(), none);
    for (std::size_t l = tree.bones(); l-- > 0;) {
      const std::size_t j = tree.order[l];
      below_[j] += regions[j].mass;
      if (!tree.is_root(j)) below_[tree.parents[j]] += below_[j];
    }
    std::size_t first = none;
    for (const std::size_t j : tree.order) {
      if (tree.is_root(j) && (first == none || below_[j] > below_[first])) first = j;
    }
    for (const std::size_t j : tree.order) {
      if (j != first) children_[tree.is_root(j) ? first : tree.parents[j]].push_back(j);
    }
    for (auto& list : children_)
      std::ranges::stable_sort(list, std::greater{}, [&](std::size_t j) { return below_[j]; });
    chain_.assign(tree.bones(), 0);
    place_.assign(tree.bones(), 0);
    walk(first);
  }

  /// Names the bones; tells left from right.
  Naming take(const std::vector<Region>& regions, const std::optional<MirrorPlane>& plane, double size) {
    const std::vector<std::size_t> pairs =
        plane ? find_pairs(regions, *plane, size) : std::vector<std::size_t>(regions.size(), none);
    std::vector<std::size_t> number(starts_.size(), none);
    std::size_t used = 0;
    result_.names.emplace_back("root");
    std::vector<std::string> side(starts_.size());
    std::vector<std::size_t> common(starts_.size(), 0);  // number of bones that both chains of a pair have
    for (std::size_t c = 0; c < starts_.size(); ++c) {
      const std::size_t image = pairs[starts_[c]];
      const bool paired = image != none && place_[image] == 0 && chain_[image] != c && image != result_.order[0];
      if (paired) {
        side[c] = on_left(*plane, regions[starts_[c]].middle) ? "_left" : "_right";
        common[c] = std::min(length(c), length(chain_[image]));
      }
      number[c] = paired && number[chain_[image]] != none ? number[chain_[image]] : used++;
    }
    for (std::size_t e = 1; e < result_.order.size(); ++e) {
      const std::size_t j = result_.order[e];
      const std::size_t c = chain_[j];
      result_.names.push_back(fmt::format("chain_{}_{}{}", number[c], place_[j], place_[j] < common[c] ? side[c] : ""));
    }
    return std::move(result_);
  }

 private:
  std::size_t length(std::size_t chain) const {
    std::size_t bones = 0;
    for (std::size_t j = starts_[chain]; j != none; j = result_.next[j]) ++bones;
    return bones;
  }

  /// Visits the root, then chain after chain to its end; the heaviest child continues a chain.
  void walk(std::size_t root) {
    result_.order.push_back(root);
    if (!children_[root].empty()) result_.next[root] = children_[root].front();
    std::vector<std::size_t> waiting(children_[root].rbegin(), children_[root].rend());
    while (!waiting.empty()) {
      std::size_t j = waiting.back();
      waiting.pop_back();
      const std::size_t chain = starts_.size();
      starts_.push_back(j);
      std::vector<std::size_t> branches;
      for (std::size_t place = 0; j != none; ++place) {
        chain_[j] = chain;
        place_[j] = place;
        result_.order.push_back(j);
        const auto& list = children_[j];
        if (!list.empty()) {
          result_.next[j] = list.front();
          branches.insert(branches.end(), list.begin() + 1, list.end());
        }
        j = result_.next[j];
      }
      waiting.insert(waiting.end(), branches.rbegin(), branches.rend());
    }
  }

  std::vector<std::vector<std::size_t>> children_;
  std::vector<double> below_;                        ///< vertices of a bone and its descendants
  std::vector<std::size_t> chain_, place_, starts_;  ///< chain of each bone, position in it, first bone of each chain
  Naming result_;
};

}  // namespace

std::optional<MirrorPlane> find_mirror_plane(const Mesh& mesh) {
  const double size = size_of(mesh.positions);
  std::array<double, 3> low{}, high{};
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (const Vec3& p : mesh.positions) {
    const std::array<double, 3> q{p.x, p.y, p.z};
    for (std::size_t c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], q[c]);
      high[c] = std::max(high[c], q[c]);
    }
  }
  std::optional<MirrorPlane> best;
  double least = mirror_tolerance * size;
  for (const std::size_t axis : {std::size_t(0), std::size_t(2)}) {
    const MirrorPlane plane{axis, 0.5 * (low[axis] + high[axis])};
    const double error = mirror_error(mesh, plane);
    if (error >= least) continue;
    least = error;
    best = plane;
  }
  return best;
}

Naming name_bones(const Tree& tree, const std::vector<Region>& regions, const std::optional<MirrorPlane>& plane,
                  double size) {
  return Namer(tree, regions).take(regions, plane, size);
}

}  // namespace marrow::skeleton
