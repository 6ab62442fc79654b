// Method (ours): rest pose and motion for given layers, in turn with these: rest positions as in Kavan et al. 2010,
// Section 4.3, transforms as in SSDR, Section 3.3. Bones keep their kind and their range of scaling.
#include "two_layer/pose_refit.hpp"

#include <algorithm>
#include <limits>

#include "core/eigen_affine.hpp"
#include "core/factor.hpp"
#include "core/parallel.hpp"
#include "lbs/bones.hpp"
#include "lbs/dispatch.hpp"
#include "lbs/kernels/products.hpp"
#include "lbs/linear_fit.hpp"
#include "lbs/matrices.hpp"
#include "lbs/points.hpp"
#include "lbs/pose_problem.hpp"
#include "lbs/products.hpp"
#include "lbs/rest_pose.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"
#include "lbs/to_rig.hpp"
#include "lbs/transforms.hpp"
#include "marrow/metrics.hpp"

namespace marrow::two_layer {
namespace {

/// E_RMS that the reduced coordinates of the target may leave out.
constexpr double tolerance = 0.01;
/// Sweeps over the bones per update.
constexpr int sweeps = 3;
/// Tolerance for equal singular values, and for the cosine between perpendicular axes.
constexpr double same_scale = 1e-4;

/// Kind of bone j by its transforms. `axes`: directions of a stretching bone.
lbs::BoneModel kind_of(const Motion& motion, std::size_t j, const Eigen::Matrix3d& axes) {
  double largest = 1, uneven = 1, sheared = 0;
  for (std::size_t t = 0; t < motion.frames(); ++t) {
    const Eigen::Matrix3d linear = linear_part(motion.frame(t)[j]), stretched = linear * axes;
    const Eigen::Vector3d s = signed_svd(linear).s;
    const double least = std::max(std::abs(s[2]), 1 / lbs::widest_limit);
    largest = std::max({largest, s[0], 1 / least});
    uneven = std::max(uneven, s[0] / least);
    for (Eigen::Index c = 0; c < 3; ++c) {
      sheared = std::max(sheared, std::abs(stretched.col(c).normalized().dot(stretched.col((c + 1) % 3).normalized())));
    }
  }
  if (largest < 1 + same_scale) return {BoneKind::rigid};
  if (uneven < 1 + same_scale) return {BoneKind::scale, largest};
  return {sheared < same_scale ? BoneKind::stretch : BoneKind::flexible, largest};
}

std::vector<lbs::BoneModel> kinds_of(const Motion& motion, const std::vector<Eigen::Matrix3d>& axes) {
  std::vector<lbs::BoneModel> kinds;
  for (std::size_t j = 0; j < motion.bones; ++j) kinds.push_back(kind_of(motion, j, axes[j]));
  return kinds;
}

/// Limit of the displacement in model units, reduced by the rounding of floats.
double rest_limit(std::span<const Vec3> positions) {
  double furthest = 0;
  for (const Vec3& p : positions) furthest = std::max<double>({furthest, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  const double rounding = 2 * double(std::numeric_limits<float>::epsilon()) * furthest;
  return std::max(refit_rest_limit * size_of(positions) - rounding, 0.0);
}

/// Calls row(i, values) with the blended weights of every vertex.
template <class Row>
void for_each_blend(const Dictionary& dictionary, const Coding& coding, const Row& row) {
  std::vector<double> values(dictionary.bones);
  for (std::size_t i = 0; i < coding.size(); ++i) {
    std::fill(values.begin(), values.end(), 0.0);
    for (std::uint32_t s = 0; s < coding[i].count; ++s) {
      const float* d = dictionary.row(coding[i].atoms[s]);
      for (std::size_t x = 0; x < values.size(); ++x) values[x] += double(coding[i].values[s]) * d[x];
    }
    row(i, values);
  }
}

lbs::SlotWeights blended(const Dictionary& dictionary, const Coding& coding, std::size_t blocks) {
  lbs::SlotWeights result;
  result.resize(blocks, dictionary.bones);
  for_each_blend(dictionary, coding, [&](std::size_t i, const std::vector<double>& values) {
    std::uint32_t& used = result.used[i];
    for (std::uint32_t x = 0; x < values.size(); ++x) {
      if (values[x] == 0) continue;
      result.bones[i * result.influences + used] = x;
      result.values[i * result.influences + used++] = values[x];
    }
  });
  return result;
}

}  // namespace

/// Reduced coordinates of the frames: for motion that may change.
PoseRefit::Coordinates PoseRefit::of_frames(const Rig& rig, const Sequence& target, const Run& run) {
  Coordinates result{lbs::make_space(target, tolerance, run), {}, {}};
  result.points = lbs::make_points(target, result.space, {}, run);
  lbs::set_rest(rig, result.space, result.points);
  result.bones = lbs::to_bones(result.space, rig.motion);
  return result;
}

/// Exact coordinates of the given bones: for fixed motion. At most four per bone, for any number of frames.
PoseRefit::Coordinates PoseRefit::of_given_bones(const lbs::PoseProblem& problem) {
  lbs::Space space;
  space.radius = problem.space.radius;
  space.rest_centre = problem.space.rest_centre;
  space.basis.setIdentity(problem.factor.rows(), problem.factor.rows());
  space.transposed = space.basis;
  return {std::move(space), problem.points, problem.factor};
}

PoseRefit::PoseRefit(const Rig& rig, const lbs::PoseProblem& problem, const Sequence& target, Refit what,
                     const Run& run)
    : given_(rig.motion),
      move_bones_(what == Refit::all),
      now_(move_bones_ ? of_frames(rig, target, run) : of_given_bones(problem)),
      axes_(lbs::bind_axes(rig.skeleton)),
      models_(kinds_of(rig.motion, axes_)),
      limit_(std::max(rest_limit(rig.mesh.positions) / now_.space.radius, 1e-9)),  // 0 would be none
      rest_(now_.points.rest),
      run_(run) {}

void PoseRefit::update(const Dictionary& dictionary, const Coding& coding) {
  const lbs::SlotWeights weights = blended(dictionary, coding, now_.points.blocks());
  if (move_bones_) move_bones(weights);
  lbs::solve_rest_pose(now_.space, now_.points, now_.bones, weights, limit_, rest_, run_);
}

std::vector<Vec3> PoseRefit::positions() const {
  std::vector<Vec3> positions(now_.points.count);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Eigen::Vector3d p = now_.space.radius * lbs::rest_of(rest_, i) + now_.space.rest_centre;
    positions[i] = {float(p.x()), float(p.y()), float(p.z())};
  }
  return positions;
}

std::vector<Affine> PoseRefit::transforms() const {
  return move_bones_ ? lbs::to_motion(now_.space, given_.timeline, now_.bones).transforms : given_.transforms;
}

void PoseRefit::move_bones(const lbs::SlotWeights& weights) {
  const lbs::Normal normal = lbs::accumulate(now_.space, now_.points, rest_, weights, given_.bones, run_);
  for (int sweep = 0; sweep < sweeps; ++sweep) lbs::solve_transforms(models_, axes_, normal, now_.bones, run_);
}

double PoseRefit::error(const Dictionary& dictionary, const Coding& coding) const {
  const lbs::SlotWeights weights = blended(dictionary, coding, now_.points.blocks());
  const lbs::Normal normal = lbs::accumulate(now_.space, now_.points, rest_, weights, given_.bones, run_);
  return lbs::energy(normal, now_.bones, run_);
}

lbs::Points PoseRefit::points_within(const lbs::RowMatrix& basis) const {
  const lbs::Points& points = now_.points;
  const auto rank = std::size_t(basis.cols());
  const lbs::RowMatrix turn = lbs::transposed_product(now_.space.basis, basis, run_);
  lbs::Points result{points.count, rank, std::vector<double>(points.blocks() * rank * lbs::lanes), points.rest, {}};
  parallel_for(run_, points.blocks(), 32, [&](std::size_t begin, std::size_t end) {
    std::vector<double> turned(lbs::lanes * rank);
    for (std::size_t b = begin; b < end; ++b) {
      kernels::product_kernel()(points.rank, lbs::lanes, rank, {points.block_coordinates(b), lbs::lanes},
                                {turn.data(), rank}, turned.data(), rank);
      double* out = result.coordinates.data() + b * rank * lbs::lanes;
      for (std::size_t lane = 0; lane < lbs::lanes; ++lane) {
        for (std::size_t q = 0; q < rank; ++q) out[q * lbs::lanes + lane] = turned[lane * rank + q];
      }
    }
  });
  return result;
}

PoseMetric PoseRefit::metric(const DenseWeights& weights, const Dictionary& dictionary, const Coding& coding) const {
  PoseMetric::RestFreedom freedom{
      {weights.vertices, weights.bones, std::vector<float>(weights.values.size())}, rest_, limit_};
  for_each_blend(dictionary, coding, [&](std::size_t i, const std::vector<double>& values) {
    std::copy(values.begin(), values.end(), freedom.blends.values.begin() + std::ptrdiff_t(i * values.size()));
  });
  if (!move_bones_) return PoseMetric(weights, now_.bones, now_.points, run_, &freedom);
  const lbs::RowMatrix basis = lbs::span_of(now_.bones);
  return PoseMetric(weights, lbs::transposed_product(basis, now_.bones, run_), points_within(basis), run_, &freedom);
}

}  // namespace marrow::two_layer
