// Le et al. 2021, Eqs. (13d), (13e): multi-weights of a point about its centre of rotation. Differs: a small ball per
// weight keeps rotations defined for collinear or isolated points; prunes within a bound of displacement.
#include "ddm/row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/eigen_affine.hpp"
#include "core/factor.hpp"

namespace marrow::ddm {
namespace {

constexpr double most_shrinkage = 4;  // assumed bound: Q is at least 1/4 of its rest value
constexpr double ball_share = 1e-4;   // squared radius of the ball / variance of the row along one axis
constexpr double ball_floor = 1e-16;  // squared radius of the ball / squared size

Omega to_omega(const Moments::Entry& entry) {
  const auto& v = entry.psi;
  Omega out;
  out.bone = entry.bone;
  out.a << v[0], v[1], v[2], v[1], v[4], v[5], v[2], v[5], v[7];
  out.b << v[3], v[6], v[8];
  out.c = v[9];
  return out;
}

/// Eq. (13d): moves the reference point of a multi-weight by `by`.
void move(Omega& o, const Point& by) {
  o.a += -by * o.b.transpose() - o.b * by.transpose() + o.c * by * by.transpose();
  o.b -= o.c * by;
}

double sum_of_c(const std::vector<Omega>& omegas) {
  return std::accumulate(omegas.begin(), omegas.end(), 0.0, [](double s, const Omega& o) { return s + o.c; });
}

Point sum_of_b(const std::vector<Omega>& omegas) {
  return std::accumulate(omegas.begin(), omegas.end(), Point(Point::Zero()),
                         [](const Point& s, const Omega& o) -> Point { return s + o.b; });
}

Eigen::Matrix3d sum_of_a(const std::vector<Omega>& omegas) {
  return std::accumulate(omegas.begin(), omegas.end(), Eigen::Matrix3d(Eigen::Matrix3d::Zero()),
                         [](const Eigen::Matrix3d& s, const Omega& o) -> Eigen::Matrix3d { return s + o.a; });
}

void scale(std::vector<Omega>& omegas, double by) {
  for (Omega& o : omegas) {
    o.a *= by;
    o.b *= by;
    o.c *= by;
  }
}

}  // namespace

Row make_row(const WeldedSurface& surface, std::size_t point, std::span<const Moments::Entry> moments, double alpha) {
  Row row;
  double translation_sum = 0;
  for (const Moments::Entry& entry : moments) {
    row.omegas.push_back(to_omega(entry));
    translation_sum += entry.weight;
  }
  scale(row.omegas, 1 / sum_of_c(row.omegas));
  const Point shift = sum_of_b(row.omegas);
  row.centre = surface.points[point] + shift;
  scale(row.omegas, 1 - alpha);
  for (std::size_t e = 0; e < moments.size(); ++e) {
    move(row.omegas[e], shift);
    row.omegas[e].c += alpha * moments[e].weight / translation_sum;
  }
  const double ball =
      ball_share * sum_of_a(row.omegas).trace() / 3 + ball_floor * surface.size * surface.size * (1 - alpha);
  for (Omega& o : row.omegas) o.a += ball * o.c * Eigen::Matrix3d::Identity();
  return row;
}

DropCost::DropCost(const Skeleton& skeleton, const WeldedSurface& surface) : skeleton_(skeleton) {
  for (std::size_t j = 0; j < skeleton.bones(); ++j) {
    joints_.push_back(translation_part(skeleton.bind[j]) - surface.middle);
    const std::int32_t parent = skeleton.parents[j];
    depth_.push_back(parent < 0 ? 1 : depth_[std::size_t(parent)] + 1);
  }
}

/// Bound of |M_other^-1 M_bone p - p|: each joint on the path between the bones moves p by at most 2 |p - joint|.
/// Rotations keep lengths, so that the bounds add up.
double DropCost::displacement(const Point& p, std::size_t bone, std::size_t other) const {
  double sum = 0;
  while (bone != other) {
    const bool first = depth_[bone] >= depth_[other];
    std::size_t& deeper = first ? bone : other;
    sum += 2 * (p - joints_[deeper]).norm();
    const std::int32_t parent = skeleton_.parents[deeper];
    if (parent >= 0) {
      deeper = std::size_t(parent);
      continue;
    }
    // Different trees: the other root moves p too.
    sum += 2 * (p - joints_[first ? other : bone]).norm();
    break;
  }
  return sum;
}

std::vector<double> DropCost::operator()(const Row& row, const Point& rest) const {
  const auto main = std::ranges::max_element(row.omegas, {}, &Omega::c);
  const Eigen::Vector3d spread = spectrum3(sum_of_a(row.omegas)).values;
  // A change dQ rotates the result by at most 2 |dQ| / (s2 + s3), s2 and s3 the two smallest singular values, and moves
  // the vertex by that times its arm. Bones with opposite rotations shrink Q below its rest value.
  const double arm = (rest - row.centre).norm();
  const double turn = most_shrinkage * 2 * arm / std::max(spread[0] + spread[1], 1e-300);
  std::vector<double> costs;
  for (const Omega& o : row.omegas) {
    if (&o == &*main) {
      costs.push_back(std::numeric_limits<double>::infinity());
      continue;
    }
    // With M = M_main^-1 M_bone = [R | t], q changes by (R - 1) b + c (M p - p) (c times the displacement of p + b /
    // c), and Q by (R - 1) A + (M p - p) b^T.
    const double shift = o.c > 0 ? o.c * displacement(row.centre + o.b / o.c, o.bone, main->bone) : 2 * o.b.norm();
    const double way = displacement(row.centre, o.bone, main->bone);
    costs.push_back(shift + turn * (2 * o.a.norm() + way * o.b.norm()));
  }
  return costs;
}

void prune_row(Row& row, std::span<const double> costs, double budget) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, {}, [&](std::size_t e) { return costs[e]; });
  std::vector<bool> drop(costs.size(), false);
  double spent = 0;
  for (const std::size_t e : order) {
    spent += costs[e];
    if (spent > budget) break;
    drop[e] = true;
  }
  Omega& main = *std::ranges::max_element(row.omegas, {}, &Omega::c);
  for (std::size_t e = 0; e < costs.size(); ++e) {
    Omega& o = row.omegas[e];
    // A multi-weight without weight c has no point to follow.
    drop[e] = drop[e] || !(o.c > 0);
    if (!drop[e]) continue;
    main.a += o.a;
    main.b += o.b;
    main.c += o.c;
  }
  std::vector<Omega> kept;
  for (std::size_t e = 0; e < costs.size(); ++e) {
    if (!drop[e]) kept.push_back(row.omegas[e]);
  }
  row.omegas = std::move(kept);
}

}  // namespace marrow::ddm
