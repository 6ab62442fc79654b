// From the solver's tree to a rig for animators: bind poses along the bones, names, order, end bones.
#include "skeleton/assemble.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/eigen_affine.hpp"
#include "core/factor.hpp"
#include "core/unique_names.hpp"
#include "lbs/bones.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"
#include "lbs/to_rig.hpp"
#include "marrow/metrics.hpp"
#include "skeleton/naming.hpp"

namespace marrow::skeleton {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Smallest weight with which a vertex belongs to a bone when its end is looked for.
constexpr double belongs = 0.5;
/// Shorter bones, as a share of the size, have no direction of their own.
constexpr double least_length = 1e-3;

std::vector<Region> regions_of(const Mesh& mesh, const lbs::SlotWeights& w, std::size_t bones) {
  std::vector<Region> regions(bones, {Vector3d::Zero(), 0});
  for (std::size_t i = 0; i < mesh.vertices(); ++i) {
    for (std::size_t a = 0; a < w.used[i]; ++a) {
      const double value = w.values[i * w.influences + a];
      Region& region = regions[w.bones[i * w.influences + a]];
      region.middle += value * to_eigen(mesh.positions[i]);
      region.mass += value;
    }
  }
  for (Region& region : regions) {
    if (region.mass > 0) region.middle /= region.mass;
  }
  return regions;
}

/// How far the vertices of bone j extend from `start` in a direction.
double reach(const Mesh& mesh, const lbs::SlotWeights& w, std::size_t j, const Vector3d& start,
             const Vector3d& direction) {
  double furthest = 0;
  for (std::size_t i = 0; i < mesh.vertices(); ++i) {
    for (std::size_t a = 0; a < w.used[i]; ++a) {
      if (w.bones[i * w.influences + a] != j || w.values[i * w.influences + a] < belongs) continue;
      furthest = std::max(furthest, direction.dot(to_eigen(mesh.positions[i]) - start));
    }
  }
  return furthest;
}

/// The rotation nearest to `like` whose y axis is `along`.
Matrix3d turned_along(const Matrix3d& like, const Vector3d& along) {
  return turn_between(like.col(1), along).toRotationMatrix() * like;
}

/// Heads, tails and axes of the bones at rest, in model units, by the solver's index.
struct Shape {
  std::vector<Vector3d> heads, tails;
  std::vector<Matrix3d> turns;  ///< y axis along the bone
};

Shape shape_of(const Mesh& mesh, const lbs::Space& space, const Found& found, const Naming& naming,
               const std::vector<Region>& regions) {
  const std::size_t bones = found.tree.bones();
  const double least = least_length * size_of(mesh.positions);
  Shape shape{std::vector<Vector3d>(bones), std::vector<Vector3d>(bones),
              std::vector<Matrix3d>(bones, Matrix3d::Identity())};
  for (std::size_t j = 0; j < bones; ++j) {
    shape.heads[j] = space.radius * found.tree.joints[j] + space.rest_centre;
  }
  for (const std::size_t j : naming.order) {
    const std::size_t next = naming.next[j], parent = found.tree.parents[j];
    const Vector3d to_next = next != none ? Vector3d(shape.heads[next] - shape.heads[j]) : Vector3d::Zero();
    const bool goes_on = next != none && !found.tree.is_root(next) && to_next.norm() > least;
    Vector3d along = goes_on ? to_next : Vector3d(regions[j].middle - shape.heads[j]);
    if (along.norm() <= least) along = Vector3d::UnitY() * least;
    if (!goes_on) {
      const double length = reach(mesh, found.weights, j, shape.heads[j], along.normalized());
      along = along.normalized() * std::max(length, along.norm());
    }
    shape.tails[j] = shape.heads[j] + along;
    shape.turns[j] = turned_along(parent == none ? Matrix3d::Identity() : shape.turns[parent], along.normalized());
  }
  return shape;
}

/// Weights with the rig's bone indices instead of the solver's.
Weights renumbered(lbs::SlotWeights w, const Naming& naming, std::size_t vertices) {
  std::vector<std::uint32_t> number(naming.order.size());
  for (std::size_t e = 0; e < naming.order.size(); ++e) number[naming.order[e]] = std::uint32_t(e);
  for (std::uint32_t& bone : w.bones) bone = number[bone];
  return lbs::to_weights(w, vertices);
}

/// Adds a bone NAME_end at the tail of every bone without children.
void add_ends(const Naming& naming, const Shape& shape, Rig& rig) {
  const std::size_t bones = rig.bones();
  std::vector<std::size_t> sources;
  UniqueNames unique;
  for (const std::string& name : rig.skeleton.names) unique(name);
  for (std::size_t l = 0; l < bones; ++l) {
    if (std::ranges::count(rig.skeleton.parents, std::int32_t(l)) > 0) continue;
    sources.push_back(l);
  }
  for (const std::size_t l : sources) {
    const std::size_t j = naming.order[l];
    rig.skeleton.names.push_back(unique(rig.skeleton.names[l] + "_end"));
    rig.skeleton.parents.push_back(std::int32_t(l));
    rig.skeleton.bind.push_back(to_affine(shape.turns[j], shape.tails[j]));
  }
  Motion more{rig.motion.timeline, bones + sources.size(), {}};
  for (std::size_t t = 0; t < rig.frames(); ++t) {
    const auto frame = rig.motion.frame(t);
    more.transforms.insert(more.transforms.end(), frame.begin(), frame.end());
    for (const std::size_t l : sources) more.transforms.push_back(frame[l]);
  }
  rig.motion = std::move(more);
}

}  // namespace

Rig assemble(const Sequence& sequence, const lbs::Space& space, const Found& found,
             const std::vector<std::string>& given, bool ends) {
  const std::size_t bones = found.tree.bones();
  const Mesh& mesh = sequence.mesh;
  const std::vector<Region> regions = regions_of(mesh, found.weights, bones);
  const std::optional<MirrorPlane> plane = given.empty() ? find_mirror_plane(mesh) : std::nullopt;
  const Naming naming = name_bones(found.tree, regions, plane, size_of(mesh.positions));
  const Shape shape = shape_of(mesh, space, found, naming, regions);
  Rig rig{mesh, {}, renumbered(found.weights, naming, mesh.vertices()), {}};
  lbs::Bones ordered(found.bones.rows(), found.bones.cols());
  for (std::size_t l = 0; l < bones; ++l) {
    const std::size_t j = naming.order[l];
    ordered.middleCols<4>(Eigen::Index(4 * l)) = found.bones.middleCols<4>(Eigen::Index(4 * j));
    rig.skeleton.names.push_back(given.empty() ? naming.names[l] : given[j]);
    const std::size_t parent = found.tree.is_root(j) ? naming.order[0] : found.tree.parents[j];
    const auto place = std::ranges::find(naming.order, parent) - naming.order.begin();
    rig.skeleton.parents.push_back(l == 0 ? -1 : std::int32_t(place));
    rig.skeleton.bind.push_back(to_affine(shape.turns[j], shape.heads[j]));
  }
  rig.motion = lbs::to_motion(space, sequence.timeline, ordered);
  if (ends) add_ends(naming, shape, rig);
  return rig;
}

}  // namespace marrow::skeleton
