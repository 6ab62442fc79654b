// Farthest-point sampling and K-means clustering (section 4.1).
#include "ddm_compression/start_fit.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "core/parallel.hpp"

namespace marrow::ddm_compression {
namespace {

constexpr std::size_t points_per_chunk_of_start = 256;
constexpr int sweeps = 10;

VirtualBone bone_of(const DistinctPoints& points, std::uint32_t point) {
  constexpr std::array<double, 1> whole{1};
  VirtualBone bone = mean_bone(points, std::span(&point, 1), whole);
  round_off(bone, 2 * least_spread);
  return bone;
}

/// Some rows of |T u_i - v_i|^2.
class Distance {
 public:
  Distance(const DistinctPoints& points, const Examples& examples) : points_(points), examples_(examples) {
    scale_ = double(examples.rows()) / double(examples.rough_rows());
  }
  double operator()(const Eigen::Ref<const Matrix>& transform, std::size_t i) const {
    const Index rows = examples_.rough_rows();
    return scale_ *
           (transform.topRows(rows) * points_.rest.col(to_index(i)) - examples_.targets().col(to_index(i)).head(rows))
               .squaredNorm();
  }

 private:
  const DistinctPoints& points_;
  const Examples& examples_;
  double scale_ = 1;
};

/// The share of the time that placing takes, for the estimate of progress.
constexpr double spreading = 0.3;

/// Takes the point that all bones so far serve worst, again and again.
void spread(const DistinctPoints& points, const Examples& examples, std::size_t bones, Fit& fit, const Run& run) {
  const std::size_t n = points.count();
  const Distance distance(points, examples);
  std::vector<double> nearest(n, std::numeric_limits<double>::infinity());
  std::vector<std::uint32_t> assigned(n, 0);
  Vector3 middle = Vector3::Zero();
  for (std::size_t i = 0; i < n; ++i) middle += points.rest.col(to_index(i)).head<3>() / double(n);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto off = [&](std::size_t k) { return (points.rest.col(to_index(k)).head<3>() - middle).squaredNorm(); };
    if (off(i) < off(next)) next = std::uint32_t(i);
  }
  fit.transforms.resize(examples.rows(), 4 * to_index(bones));
  for (std::size_t k = 0; k < bones; ++k) {
    run.check_stop("compress");
    run.report({.stage = "placing virtual bones", .fraction = spreading * double(k) / double(bones)});
    fit.bones.push_back(bone_of(points, next));
    examples.transform(fit.bones[k], fit.transform(k));
    const Matrix transform = fit.transform(k);
    parallel_for(run, n, points_per_chunk_of_start, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const double d = distance(transform, i);
        if (!(d < nearest[i])) continue;
        nearest[i] = d;
        assigned[i] = std::uint32_t(k);
      }
    });
    next = std::uint32_t(std::ranges::max_element(nearest) - nearest.begin());
    if (!(nearest[next] > 1e-20)) break;
  }
  fit.transforms.conservativeResize(Eigen::NoChange, 4 * to_index(fit.bone_count()));
  for (std::size_t i = 0; i < n; ++i) {
    fit.influences[i * fit.most] = {assigned[i], 1};
    fit.errors[i] = nearest[i];
  }
}

/// Bones become the mean of their points; one without points takes the worst served point.
void average(const DistinctPoints& points, Fit& fit) {
  std::vector<std::vector<std::uint32_t>> members(fit.bone_count());
  for (std::size_t i = 0; i < points.count(); ++i) {
    members[fit.influences[i * fit.most].bone].push_back(std::uint32_t(i));
  }
  for (std::size_t k = 0; k < fit.bone_count(); ++k) {
    if (members[k].empty()) {
      const auto worst = std::ranges::max_element(fit.errors) - fit.errors.begin();
      fit.errors[std::size_t(worst)] = 0;
      fit.bones[k] = bone_of(points, std::uint32_t(worst));
      continue;
    }
    std::vector<double> shares;
    for (const std::uint32_t i : members[k]) shares.push_back(points.mass[i]);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    fit.bones[k] = mean_bone(points, members[k], shares);
    round_off(fit.bones[k], 2 * least_spread);
  }
}

/// Every point goes to the best of its own bone, the neighbours' and the bones that are nearest to its own.
void assign(const DistinctPoints& points, const Examples& examples,
            const std::vector<std::vector<std::uint32_t>>& near_of, Fit& fit, const Run& run) {
  const Distance distance(points, examples);
  std::vector<Influence> next(fit.influences);
  parallel_for(run, points.count(), points_per_chunk_of_start, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t own = fit.influences[i * fit.most].bone;
      double best = distance(fit.transform(own), i);
      std::uint32_t chosen = own;
      const auto consider = [&](std::uint32_t k) {
        if (k == chosen) return;
        const double d = distance(fit.transform(k), i);
        if (!(d < best)) return;
        best = d;
        chosen = k;
      };
      for (const std::uint32_t k : near_of[own]) consider(k);
      for (const std::uint32_t l : points.neighbours(i)) {
        const std::uint32_t k = fit.influences[l * fit.most].bone;
        if (k != own) consider(k);
      }
      next[i * fit.most].bone = chosen;
      fit.errors[i] = best;
    }
  });
  fit.influences = std::move(next);
}

/// Per bone the others that would serve its middle point best.
std::vector<std::vector<std::uint32_t>> near_bones_of(const DistinctPoints& points, const Examples& examples,
                                                      const Fit& fit, const Run& run) {
  constexpr std::size_t wanted = 10;
  const std::size_t p = fit.bone_count();
  std::vector<Vector4> middles(p, Vector4::Zero());
  for (std::size_t i = 0; i < points.count(); ++i) {
    middles[fit.influences[i * fit.most].bone] += points.rest.col(to_index(i));
  }
  std::vector<std::vector<std::uint32_t>> out(p);
  const Index rows = examples.rough_rows();
  parallel_for(run, p, 8, [&](std::size_t begin, std::size_t end) {
    std::vector<double> far(p);
    for (std::size_t k = begin; k < end; ++k) {
      if (!(middles[k][3] > 0)) continue;
      const Vector4 u = middles[k] / middles[k][3];
      const Eigen::VectorXd place = fit.transform(k).topRows(rows) * u;
      for (std::size_t l = 0; l < p; ++l) far[l] = (fit.transform(l).topRows(rows) * u - place).squaredNorm();
      std::vector<std::uint32_t>& order = out[k];
      order.resize(p);
      std::iota(order.begin(), order.end(), 0u);
      const std::size_t count = std::min(wanted, p);
      std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(count), order.end(),
                        [&](std::uint32_t a, std::uint32_t b) { return far[a] != far[b] ? far[a] < far[b] : a < b; });
      order.resize(count);
    }
  });
  return out;
}

}  // namespace

Fit start_fit(const DistinctPoints& points, const Examples& examples, std::size_t bones, std::size_t influences,
              const Run& run) {
  Fit fit;
  fit.most = influences;
  fit.influences.resize(points.count() * influences);
  fit.counts.assign(points.count(), 1);
  fit.errors.assign(points.count(), 0);
  spread(points, examples, std::min(bones, points.count()), fit, run);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    run.report({.stage = "clustering", .fraction = spreading + (1 - spreading) * double(sweep) / sweeps});
    average(points, fit);
    update_transforms(examples, fit, run);
    if (sweep + 1 < sweeps) assign(points, examples, near_bones_of(points, examples, fit, run), fit, run);
  }
  return fit;
}

}  // namespace marrow::ddm_compression
