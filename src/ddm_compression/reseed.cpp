// Le et al. 2021, Section 4.4: re-initialises virtual bones with little weight at the largest error. Differs
// (`refined`): moves a share of the least useful bones per round, and they take over the points around.
#include "ddm_compression/reseed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace marrow::ddm_compression {
namespace {

constexpr double least_used = 1;  // least sum of squared weights (the paper's epsilon)
constexpr double around = 0.1;    // radius around a moved bone, in units of the size
constexpr double fresh_damping = 1e-3;
constexpr double alone = 1e-4;  // assumed error (squared distance) of a point with a single bone, if that is taken away

/// Removal cost of every bone: rise of the error if the other bones of its points share its weight, sum of a^2 |T_k u -
/// blend of the others|^2.
std::vector<double> usefulness(const DistinctPoints& points, const Fit& fit) {
  std::vector<double> out(fit.bone_count(), 0);
  Eigen::VectorXd blend(fit.transforms.rows()), own(fit.transforms.rows());
  for (std::size_t i = 0; i < points.count(); ++i) {
    const Vector4 u = points.rest.col(to_index(i));
    const auto row = fit.row(i);
    if (row.size() == 1) {
      // The point has no other bone: make removal costly.
      out[row[0].bone] += points.mass[i] * alone;
      continue;
    }
    blend.setZero();
    for (const Influence& a : row) blend.noalias() += fit.transform(a.bone) * (a.weight * u);
    for (const Influence& a : row) {
      own.noalias() = fit.transform(a.bone) * u;
      // T_k u - (blend - a T_k u) / (1 - a) = (T_k u - blend) / (1 - a).
      const double other = std::max(1 - a.weight, 1e-3);
      out[a.bone] += points.mass[i] * a.weight * a.weight * (own - blend).squaredNorm() / (other * other);
    }
  }
  return out;
}

/// Removes bones from all points. Returns the points that are left without a bone.
std::vector<std::uint32_t> let_go(const std::vector<bool>& gone, std::size_t points, Fit& fit) {
  std::vector<std::uint32_t> orphans;
  for (std::size_t i = 0; i < points; ++i) {
    Influence* row = fit.influences.data() + i * fit.most;
    std::uint32_t kept = 0;
    double sum = 0;
    for (std::uint32_t e = 0; e < fit.counts[i]; ++e) {
      if (gone[row[e].bone]) continue;
      sum += row[e].weight;
      row[kept++] = row[e];
    }
    for (std::uint32_t e = 0; e < kept; ++e) row[e].weight /= sum;
    fit.counts[i] = kept;
    if (kept == 0) orphans.push_back(std::uint32_t(i));
  }
  return orphans;
}

double distance_to(const DistinctPoints& points, const Examples& examples, const Fit& fit, std::size_t bone,
                   std::size_t i) {
  return (fit.transform(bone) * points.rest.col(to_index(i)) - examples.targets().col(to_index(i))).squaredNorm();
}

void follow(std::size_t i, std::size_t bone, Fit& fit) {
  fit.influences[i * fit.most] = {std::uint32_t(bone), 1};
  fit.counts[i] = 1;
}

/// Moves a bone to a point. The point follows it, and so do points around for which it is better than `served`.
void put(const DistinctPoints& points, const Examples& examples, std::size_t bone, std::uint32_t point,
         std::vector<double>& served, Fit& fit) {
  constexpr std::array<double, 1> whole{1};
  fit.bones[bone] = mean_bone(points, std::span(&point, 1), whole);
  trim(fit.bones[bone]);
  examples.transform(fit.bones[bone], fit.transform(bone));
  const Vector3 place = points.rest.col(to_index(point)).head<3>();
  for (std::size_t i = 0; i < points.count(); ++i) {
    if ((points.rest.col(to_index(i)).head<3>() - place).squaredNorm() > around * around) continue;
    const double d = distance_to(points, examples, fit, bone, i);
    if (!(d < served[i]) && i != point) continue;
    served[i] = d;
    follow(i, bone, fit);
  }
}

void move(const DistinctPoints& points, const Examples& examples, std::span<const std::uint32_t> bones, Fit& fit) {
  if (bones.empty()) return;
  std::vector<bool> gone(fit.bone_count(), false);
  for (const std::uint32_t k : bones) gone[k] = true;
  const std::vector<std::uint32_t> orphans = let_go(gone, points.count(), fit);
  // Includes half the neighbours' errors: a single outlier is not worth a bone.
  std::vector<double> need(fit.errors), served(fit.errors);
  for (std::size_t i = 0; i < need.size(); ++i) {
    double nearby = 0;
    for (const std::uint32_t l : points.neighbours(i)) nearby += fit.errors[l];
    need[i] = points.mass[i] * (need[i] + 0.5 * nearby);
  }
  for (const std::uint32_t k : bones) {
    const auto worst = std::uint32_t(std::ranges::max_element(need) - need.begin());
    put(points, examples, k, worst, served, fit);
    need[worst] = 0;
    for (const std::uint32_t l : points.neighbours(worst)) need[l] = 0;
  }
  for (const std::uint32_t i : orphans) {
    if (fit.counts[i] > 0) continue;
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < fit.bone_count(); ++k) {
      const double d = distance_to(points, examples, fit, k, i);
      if (!(d < least)) continue;
      least = d;
      best = k;
    }
    follow(i, best, fit);
  }
}

}  // namespace

void reseed(const DistinctPoints& points, const Examples& examples, double share, std::vector<double>& damping,
            Fit& fit, const Run& run) {
  run.check_stop("compress");
  const std::vector<double> useful = usefulness(points, fit);
  std::vector<std::uint32_t> order(fit.bone_count());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t k) { return useful[k]; });
  order.resize(std::size_t(share * double(order.size())));
  for (const std::uint32_t k : order) damping[k] = fresh_damping;
  move(points, examples, order, fit);
}

void reseed_unused(const DistinctPoints& points, const Examples& examples, Fit& fit, const Run& run) {
  run.check_stop("compress");
  std::vector<double> used(fit.bone_count(), 0);
  for (std::size_t i = 0; i < points.count(); ++i) {
    for (const Influence& a : fit.row(i)) used[a.bone] += a.weight * a.weight;
  }
  std::vector<std::uint32_t> idle;
  for (std::size_t k = 0; k < used.size(); ++k) {
    if (used[k] < least_used) idle.push_back(std::uint32_t(k));
  }
  move(points, examples, idle, fit);
}

}  // namespace marrow::ddm_compression
