// Mancewicz et al. 2014 (Delta Mush), which Direct Delta Mush approximates: smooths the posed mesh and adds the detail
// of the rest pose, rotated with the surface. Differs: implicit smoothing, as in Direct Delta Mush.
#include <fmt/format.h>

#include <Eigen/Geometry>

#include "core/check.hpp"
#include "core/eigen_affine.hpp"
#include "core/polar.hpp"
#include "ddm/moments.hpp"
#include "ddm/options.hpp"
#include "ddm/reach.hpp"
#include "ddm/smoother.hpp"
#include "marrow/ddm.hpp"
#include "model/model_frames.hpp"

namespace marrow {
namespace {

using namespace ddm;

/// Unit normals of the points; zero without area.
std::vector<Point> point_normals(const WeldedSurface& surface, const Eigen::MatrixXd& positions) {
  std::vector<Point> normals(surface.count(), Point::Zero());
  const auto at = [&](std::uint32_t i) -> Point { return positions.row(i).transpose(); };
  for (const auto& [a, b, c] : surface.triangles) {
    const Point n = (at(b) - at(a)).cross(at(c) - at(a));
    for (const std::uint32_t v : {a, b, c}) normals[v] += n;
  }
  for (Point& n : normals) n = n.norm() > 0 ? Point(n.normalized()) : Point::Zero();
  return normals;
}

}  // namespace

struct DeltaMush::State {
  State(const Rig& given, const DdmOptions& options)
      : rig(given),
        surface(weld(given)),
        edges(laplacian(surface)),
        smoother(surface, edges, smoothing_mass(given, surface, edges, options, Part::rotation)),
        bound(bind(given, surface, options.rigid_bind)),
        steps(options.steps) {
    rest.resize(Eigen::Index(surface.count()), 3);
    for (std::size_t i = 0; i < surface.count(); ++i) {
      rest.row(Eigen::Index(i)) = surface.points[i].transpose();
    }
    smooth_rest = smooth(rest);
    rest_normals = point_normals(surface, smooth_rest);
  }

  Eigen::MatrixXd smooth(Eigen::MatrixXd positions) const {
    for (int s = 0; s < steps; ++s) smoother.step(positions);
    return positions;
  }

  /// Linear blend skinning of the points; `turns` are the blended linear parts.
  Eigen::MatrixXd skin(std::span<const Affine> pose, std::vector<Eigen::Matrix3d>& turns) const {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(rest.rows(), 3);
    turns.assign(surface.count(), Eigen::Matrix3d::Zero());
    for (std::size_t j = 0; j < bound.rows.size(); ++j) {
      const Eigen::Matrix3d linear = linear_part(pose[j]);
      const Point shift = linear * surface.middle + translation_part(pose[j]);
      for (const auto& [point, weight] : bound.rows[j]) {
        out.row(point) += double(weight) * (linear * surface.points[point] + shift).transpose();
        turns[point] += double(weight) * linear;
      }
    }
    return out;
  }

  /// Rotation of the smoothed surface at a point: best fit of its edges and normal; that of the bones without edges.
  Eigen::Matrix3d turn(Eigen::Index i, const Eigen::MatrixXd& posed, const Point& normal,
                       const Eigen::Matrix3d& bones) const {
    Eigen::Matrix3d fit = Eigen::Matrix3d::Zero();
    double scale = 0;
    for (SparseMatrix::InnerIterator e(edges, i); e; ++e) {
      if (e.row() == i) continue;
      const Point from = (smooth_rest.row(e.row()) - smooth_rest.row(i)).transpose();
      const Point to = (posed.row(e.row()) - posed.row(i)).transpose();
      fit -= e.value() * to * from.transpose();
      scale -= e.value() * from.squaredNorm();
    }
    fit += scale / 2 * normal * rest_normals[std::size_t(i)].transpose();
    return nearest_rotation(scale > 0 ? fit : bones);
  }

  Rig rig;
  WeldedSurface surface;
  SparseMatrix edges;
  Smoother smoother;
  BoneRows bound;
  int steps;
  Eigen::MatrixXd rest, smooth_rest;
  std::vector<Point> rest_normals;
};

DeltaMush::DeltaMush(const Rig& rig, const DdmOptions& options, const Run& run) {
  check(rig, options);
  run.check_stop("DeltaMush");
  state_ = std::make_unique<const State>(rig, options);
}

DeltaMush::~DeltaMush() = default;
DeltaMush::DeltaMush(DeltaMush&&) noexcept = default;
DeltaMush& DeltaMush::operator=(DeltaMush&&) noexcept = default;

void DeltaMush::deform(std::span<const Affine> pose, std::span<Vec3> positions) const {
  const State& s = *state_;
  require(pose.size() == s.rig.bones() && positions.size() == s.rig.vertices(), "DeltaMush", [&] {
    return fmt::format("a pose of {} bones for {} vertices, but the rig has {} and {}", pose.size(), positions.size(),
                       s.rig.bones(), s.rig.vertices());
  });
  std::vector<Eigen::Matrix3d> bones;
  const Eigen::MatrixXd posed = s.smooth(s.skin(pose, bones));
  const std::vector<Point> normals = point_normals(s.surface, posed);
  std::vector<Vec3> out(s.surface.count());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto row = Eigen::Index(i);
    const Point delta = (s.rest.row(row) - s.smooth_rest.row(row)).transpose();
    const Point p = posed.row(row).transpose() + s.turn(row, posed, normals[i], bones[i]) * delta;
    out[i] = {float(p[0]), float(p[1]), float(p[2])};
  }
  for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = out[s.surface.point_of[v]];
}

Sequence DeltaMush::bake(const Run& run) const {
  const Rig& rig = state_->rig;
  return bake_frames(rig, "delta mush", run,
                     [&](std::size_t t, std::span<Vec3> positions) { deform(rig.motion.frame(t), positions); });
}

}  // namespace marrow
