// Method (ours): keys of an affine motion M = U S V^T D, for players that slerp U and V and blend S. Among equivalent
// decompositions it chooses those whose factors are close from key to key; see decompose_smoothly().
#include "io/flexible_keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/factor.hpp"

namespace marrow {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

/// Singular values that differ by less than this share of the largest count as equal. The effect is far below the
/// rounding of the file.
constexpr double equal_gap = 1e-8;

/// A rotation that maps axes to axes: column i is plus or minus axis order[i].
struct AxisRotation {
  Quaterniond q;
  std::array<int, 3> order;
};

using AxisRotations = std::array<AxisRotation, 24>;

AxisRotations make_axis_rotations() {
  AxisRotations out;
  std::size_t count = 0;
  std::array<int, 3> order{0, 1, 2};
  do {
    for (int signs = 0; signs < 8; ++signs) {
      Matrix3d p = Matrix3d::Zero();
      for (int r = 0; r < 3; ++r) p(order[std::size_t(r)], r) = (signs >> r & 1) != 0 ? -1 : 1;
      if (p.determinant() > 0) out[count++] = {Quaterniond(p), order};
    }
  } while (std::ranges::next_permutation(order).found);
  return out;
}

const AxisRotations& axis_rotations() {
  static const AxisRotations all = make_axis_rotations();
  return all;
}

/// The identity and the half turns about the axes, with their diagonals.
struct Flip {
  Quaterniond q;
  Vector3d signs;
};
const std::array<Flip, 4> flips{{{Quaterniond(1, 0, 0, 0), Vector3d(1, 1, 1)},
                                 {Quaterniond(0, 1, 0, 0), Vector3d(1, -1, -1)},
                                 {Quaterniond(0, 0, 1, 0), Vector3d(-1, 1, -1)},
                                 {Quaterniond(0, 0, 0, 1), Vector3d(-1, -1, 1)}}};

Stretch decompose(const Matrix3d& a) {
  // The smallest value gets the sign: a motion through a flat state changes it there.
  const SignedSvd svd = signed_svd(a);
  return {Quaterniond(svd.u), svd.s, Quaterniond(svd.v)};
}

Vector3d rearranged(const Vector3d& s, const AxisRotation& p, const Flip& f) {
  const Vector3d flipped = f.signs.cwiseProduct(s);
  return {flipped[p.order[0]], flipped[p.order[1]], flipped[p.order[2]]};
}

Stretch rearranged(const Stretch& a, const AxisRotation& p, const Flip& f) {
  return {a.u * f.q * p.q, rearranged(a.s, p, f), a.v * p.q};
}

/// The rotation R within `axes` that brings the columns of a R nearest to those of b; `b_to_a` is a^T b.
Matrix3d aligning_turn(const Matrix3d& b_to_a, const std::array<bool, 3>& axes) {
  // Pins the other axes: a weight of 8 exceeds what the chosen ones can contribute.
  Matrix3d target = 8 * Matrix3d::Identity();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      if (axes[std::size_t(r)] && axes[std::size_t(c)]) target(r, c) = b_to_a(r, c);
    }
  }
  const SignedSvd svd = signed_svd(target);
  return svd.u * svd.v.transpose();
}

/// Rotates the vectors of equal singular values towards those of `previous`.
Stretch aligned(const Stretch& previous, Stretch next) {
  const double limit = equal_gap * next.s.cwiseAbs().maxCoeff();
  for (int r = 0; r < 3; ++r) {
    std::array<bool, 3> axes{};
    for (int c = 0; c < 3; ++c) axes[std::size_t(c)] = std::abs(next.s[c] - next.s[r]) <= limit;
    const auto first = std::ranges::find(axes, true) - axes.begin();
    if (first != r || std::ranges::count(axes, true) < 2) continue;
    const Matrix3d u = next.u.toRotationMatrix(), v = next.v.toRotationMatrix();
    const Matrix3d u_turn = u.transpose() * previous.u.toRotationMatrix();
    const Matrix3d v_turn = v.transpose() * previous.v.toRotationMatrix();
    if (std::abs(next.s[r]) <= limit) {  // zeros: U and V rotate independently
      next.u = Quaterniond(Matrix3d(u * aligning_turn(u_turn, axes)));
      next.v = Quaterniond(Matrix3d(v * aligning_turn(v_turn, axes)));
    } else {
      const Matrix3d turn = aligning_turn(u_turn + v_turn, axes);
      next.u = Quaterniond(Matrix3d(u * turn));
      next.v = Quaterniond(Matrix3d(v * turn));
    }
    break;
  }
  return next;
}

bool has_equal_values(const Vector3d& s) {
  const double limit = equal_gap * s.cwiseAbs().maxCoeff();
  return std::abs(s[0] - s[1]) <= limit || std::abs(s[1] - s[2]) <= limit || std::abs(s[0] - s[2]) <= limit;
}

/// The midpoint of the shorter arc.
Quaterniond halfway(const Quaterniond& a, const Quaterniond& b) {
  const double sign = a.dot(b) < 0 ? -1 : 1;
  return Quaterniond(a.coeffs() + sign * b.coeffs()).normalized();
}

struct Step {
  Stretch next;
  double cost =
      std::numeric_limits<double>::infinity();  ///< squared distance of the interpolated midpoint to the target
};

/// The equivalent form of `next` whose midpoint with `previous`, as players interpolate it, is nearest to `target`.
Step best_step(const Stretch& previous, const Stretch& next, const Matrix3d& target, const Vector3d& inner_scale) {
  const bool equal_values = has_equal_values(next.s);
  const double least_scale = inner_scale.minCoeff();
  const double target_norm = (target * inner_scale.cwiseInverse().asDiagonal()).norm();
  Step best;
  for (const Flip& f : flips) {
    for (const AxisRotation& p : axis_rotations()) {
      const Vector3d s = 0.5 * (previous.s + rearranged(next.s, p, f));
      // Lower bound without rotations: |U S V^T - T| >= ||S| - |T||. It rules out most forms.
      const double bound = least_scale * (s.norm() - target_norm);
      if (bound * bound >= best.cost) continue;
      Stretch candidate = rearranged(next, p, f);
      if (equal_values) candidate = aligned(previous, candidate);
      const Stretch half{halfway(previous.u, candidate.u), s, halfway(previous.v, candidate.v)};
      const double cost = (half.matrix() * inner_scale.asDiagonal() - target).squaredNorm();
      if (cost < best.cost) best = {candidate, cost};
    }
  }
  return best;
}

/// The form whose V is nearest to the identity. For the first key of a run.
Stretch first_form(const Stretch& stretch) {
  const Stretch still{stretch.u * stretch.v.conjugate(), stretch.s, Quaterniond::Identity()};
  Stretch best = stretch;
  double best_cosine = -1;
  for (const AxisRotation& p : axis_rotations()) {
    const Stretch candidate = aligned(still, rearranged(stretch, p, flips.front()));
    const double cosine = std::abs(candidate.v.w());
    if (cosine > best_cosine) {
      best_cosine = cosine;
      best = candidate;
    }
  }
  return best;
}

Stretch decompose_without(const Vector3d& inner_scale, const Matrix3d& m) {
  return decompose(m * inner_scale.cwiseInverse().asDiagonal());
}

/// Estimated matrix halfway between keys k and k + 1: four-point interpolation within a run, the mean at its ends.
Matrix3d expected_halfway(std::span<const Matrix3d> matrices, const KeyRun& run, std::size_t key) {
  Matrix3d mean = 0.5 * (matrices[key] + matrices[key + 1]);
  if (key == run.first || key + 2 == run.first + run.count) return mean;
  const Matrix3d outer_mean = 0.5 * (matrices[key - 1] + matrices[key + 2]);
  return (9 * mean - outer_mean) / 8;
}

/// Sum of squared midpoint errors over a sample of the steps.
double interpolation_cost(std::span<const Matrix3d> matrices, std::span<const KeyRun> runs,
                          const Vector3d& inner_scale) {
  constexpr std::size_t sample = 256;
  const std::size_t stride = matrices.size() / sample + 1;
  double cost = 0;
  for (const KeyRun& run : runs) {
    for (std::size_t key = run.first; key + 1 < run.first + run.count; key += stride) {
      const Stretch a = decompose_without(inner_scale, matrices[key]),
                    b = decompose_without(inner_scale, matrices[key + 1]);
      cost += best_step(a, b, expected_halfway(matrices, run, key), inner_scale).cost;
    }
  }
  return cost;
}

Vector3d best_inner_scale(std::span<const Matrix3d> matrices, std::span<const KeyRun> runs) {
  Vector3d best = Vector3d::Ones();
  // Prefers D = 1 unless another is at least 20 % better.
  double best_cost = 0.8 * interpolation_cost(matrices, runs, best);
  // Powers of two, so that D adds no rounding. A larger spread separates singular values under stronger stretches, but
  // the rotations lose as many times their precision.
  for (const double spread : {2.0, 4.0}) {
    std::array<double, 3> d{1 / spread, 1, spread};
    do {
      const Vector3d candidate(d[0], d[1], d[2]);
      const double cost = interpolation_cost(matrices, runs, candidate);
      if (cost < best_cost) {
        best_cost = cost;
        best = candidate;
      }
    } while (std::ranges::next_permutation(d).found);
  }
  return best;
}

}  // namespace

// Players interpolate the factors of M = U S V^T D: U and V by slerp, S linearly. The result is close to M only if the
// factors of neighbouring keys are close. Three freedoms of the decomposition are used for that:
//
// 1. Order and signs. For a signed permutation P with det 1 and F one of diag(1, 1, 1), diag(1, -1, -1), ..., (U F P,
// P^T F S P, V P) is as good as (U, S, V). These 24 x 4 choices form a group G. Slerp commutes with a common rotation
// of both ends, so the motion between keys k and k + 1 depends on their choices only through g_k^-1 g_{k+1}. The best
// sequence therefore needs no dynamic programming: choose the best g_{k+1} given g_k, key by key.
// 2. Equal singular values. Their singular vectors may be rotated within their subspace: align them with the previous
// key.
// 3. Nearly equal singular values, as in nearly rigid bones. Their vectors are determined but jump with every small
// change. D != 1 helps: U S V^T decomposes M D^-1, whose singular values are well separated where those of M are not,
// so U and V move as smoothly as M. D is one diagonal matrix per bone, the scale of the lower node.
StretchTrack decompose_smoothly(std::span<const Matrix3d> matrices, std::span<const KeyRun> runs) {
  StretchTrack track{best_inner_scale(matrices, runs), std::vector<Stretch>(matrices.size())};
  for (const KeyRun& run : runs) {
    for (std::size_t key = run.first; key < run.first + run.count; ++key) {
      const Stretch stretch = decompose_without(track.inner_scale, matrices[key]);
      track.stretches[key] = key == run.first ? first_form(stretch)
                                              : best_step(track.stretches[key - 1], stretch,
                                                          expected_halfway(matrices, run, key - 1), track.inner_scale)
                                                    .next;
    }
  }
  return track;
}

}  // namespace marrow
