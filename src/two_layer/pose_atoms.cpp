// Le & Deng 2013, Section 3.5: dictionary update for example poses, by Eq. (5) with the optimised weights. Differs:
// exact minimum per atom over its support, from sums over all poses; supports are chosen by removal costs.
#include "two_layer/pose_atoms.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>

#include "core/factor.hpp"
#include "core/parallel.hpp"
#include "lbs/dispatch.hpp"
#include "lbs/kernels/products.hpp"
#include "lbs/simplex_qp.hpp"
#include "two_layer/atoms.hpp"

namespace marrow::two_layer {

struct PoseAtomDescent::State {
  const PoseMetric& metric;
  Dictionary& dictionary;
  Sign sign;
  Run run;
  Users users;
  SweepOrder order;
  std::vector<float> residuals;

  /// Calls body(one, j) for every atom that a vertex uses.
  void sweep(const std::function<void(OneAtom&, std::size_t)>& body);
};

/// Solves one atom at a time.
struct PoseAtomDescent::OneAtom {
  static constexpr std::size_t moment_stride = 12;

  State& all;
  std::size_t bones = all.dictionary.bones;

  // Energy of a change d of the atom's values: d^T hessian d + 2 slope^T d.
  Eigen::MatrixXd hessian = Eigen::MatrixXd(Eigen::Index(bones), Eigen::Index(bones));
  Eigen::VectorXd slope = Eigen::VectorXd(Eigen::Index(bones));
  // One row per vertex of the atom, padded to whole tiles of the kernel.
  std::size_t stride = kernels::whole_tiles(bones);
  std::vector<double> moments{};                                            ///< a m(u)
  std::vector<double> residuals{};                                          ///< r
  std::vector<double> moves{};                                              ///< a K^T, three rows
  std::vector<double> moved = std::vector<double>(moment_stride * stride);  ///< sum_i a m_q(u) r
  std::vector<double> squares = std::vector<double>(stride * stride);       ///< sum_i a^2 K K^T
  std::vector<Eigen::Index> chosen{};
  lbs::SimplexQp qp{bones};
  std::vector<double> values{};
  std::vector<float> change = std::vector<float>(bones);
  std::vector<std::size_t> ranked{};  ///< bones of the atom by ascending removal cost

  void load(std::size_t k);
  void load_rest_moves(std::span<const Users::User> users);
  void solve_convex(std::size_t k);
  void solve_affine(std::size_t k);
  void solve(std::size_t k) { all.sign == Sign::convex ? solve_convex(k) : solve_affine(k); }
  void replace(std::size_t k);
  void rank_values(float* gains);
};

void PoseAtomDescent::State::sweep(const std::function<void(OneAtom&, std::size_t)>& body) {
  constexpr std::size_t programs_at_once = 4;
  for (std::size_t s = 0; s < order.steps(); ++s) {
    const std::span<const std::uint32_t> atoms = order.step(s);
    parallel_for(run, atoms.size(), programs_at_once, [&](std::size_t begin, std::size_t end) {
      OneAtom one{*this};
      for (const std::uint32_t k : atoms.subspan(begin, end - begin)) {
        if (!users.of(k).empty()) body(one, k);
      }
    });
  }
}

/// Q r summed over the vertices of an atom is sum_q H_q (sum_i a m_q(u_i) r_i): bones x bones work per atom instead of
/// per vertex.
void PoseAtomDescent::OneAtom::load(std::size_t k) {
  const std::span<const Users::User> users = all.users.of(k);
  std::array<double, PoseMetric::forms> weight{};
  moments.assign(users.size() * moment_stride, 0);
  residuals.assign(users.size() * stride, 0);
  slope.setZero();
  hessian.setZero();
  for (std::size_t v = 0; v < users.size(); ++v) {
    const auto& [vertex, a] = users[v];
    const auto& m = all.metric.moments(vertex);
    for (std::size_t q = 0; q < PoseMetric::forms; ++q) {
      moments[v * moment_stride + q] = double(a) * m[q];
      weight[q] += double(a) * a * m[q];
    }
    const float *r = all.residuals.data() + vertex * bones, *g = all.metric.slope(vertex);
    std::copy_n(r, bones, residuals.data() + v * stride);
    for (std::size_t j = 0; j < bones; ++j) slope[Eigen::Index(j)] += double(a) * g[j];
  }
  kernels::product_kernel()(users.size(), moment_stride, stride, {moments.data(), moment_stride},
                            {residuals.data(), stride}, moved.data(), stride);
  for (std::size_t q = 0; q < PoseMetric::forms; ++q) {
    const Eigen::Map<const Eigen::MatrixXf> h(all.metric.form(q), Eigen::Index(bones),
                                              Eigen::Index(bones));  // symmetric
    hessian += weight[q] * h.cast<double>();
    for (std::size_t j = 0; j < bones; ++j) slope += moved[q * stride + j] * h.col(Eigen::Index(j)).cast<double>();
  }
  if (all.metric.rest_moves(0) != nullptr) load_rest_moves(users);
}

/// Subtracts K K^T of the vertices (free rest pose).
void PoseAtomDescent::OneAtom::load_rest_moves(std::span<const Users::User> users) {
  moves.assign(3 * users.size() * stride, 0);
  for (std::size_t v = 0; v < users.size(); ++v) {
    const auto& [vertex, a] = users[v];
    const double* r = residuals.data() + v * stride;
    for (std::size_t c = 0; c < 3; ++c) {
      const float* from = all.metric.rest_moves(vertex) + c * bones;
      double* row = moves.data() + (3 * v + c) * stride;
      double along = 0;
      for (std::size_t j = 0; j < bones; ++j) {
        row[j] = double(a) * from[j];
        along += from[j] * r[j];
      }
      for (std::size_t j = 0; j < bones; ++j) slope[Eigen::Index(j)] -= along * row[j];
    }
  }
  kernels::product_kernel()(3 * users.size(), stride, stride, {moves.data(), stride}, {moves.data(), stride},
                            squares.data(), stride);
  for (std::size_t j = 0; j < bones; ++j) {
    for (std::size_t l = 0; l < bones; ++l) hessian(Eigen::Index(l), Eigen::Index(j)) -= squares[j * stride + l];
  }
}

PoseAtomDescent::PoseAtomDescent(const DenseWeights& weights, const PoseMetric& metric, const Coding& coding,
                                 Dictionary& dictionary, Sign sign, const Run& run) {
  Users users = users_of(coding, dictionary.atoms());
  SweepOrder order(users, coding.size());
  state_.reset(new State{metric, dictionary, sign, run, std::move(users), std::move(order),
                         residuals_of(weights, dictionary, coding, run)});
}
PoseAtomDescent::~PoseAtomDescent() = default;

/// As a form in the new values v with sum 1: v^T (H + l 1^T + 1 l^T + c) v with l = slope - H d; c makes it positive.
void PoseAtomDescent::OneAtom::solve_convex(std::size_t k) {
  const std::size_t n = chosen.size();
  const float* d = all.dictionary.row(k);
  values.assign(n, 0);
  Eigen::VectorXd linear = slope;
  double sum = 0;
  for (std::size_t j = 0; j < bones; ++j) {
    if (d[j] != 0) linear -= double(d[j]) * hessian.col(Eigen::Index(j));
  }
  for (std::size_t a = 0; a < n; ++a) sum += values[a] = std::max(0.0F, d[chosen[a]]);
  for (double& v : values) v = sum > 0 ? v / sum : 1 / double(n);
  double shift = 0;
  for (std::size_t a = 0; a < n; ++a) {
    shift = std::max(shift, 2 * std::abs(linear[chosen[a]]) + hessian(chosen[a], chosen[a]));
  }
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      qp.matrix()[a * qp.stride() + b] = hessian(chosen[a], chosen[b]) + linear[chosen[a]] + linear[chosen[b]] + shift;
    }
  }
  qp.solve(n, values.data());
}

/// Best values with fixed sum, with a small ridge towards the current ones: H x = right + m 1.
void PoseAtomDescent::OneAtom::solve_affine(std::size_t k) {
  const auto n = Eigen::Index(chosen.size());
  const float* d = all.dictionary.row(k);
  Eigen::MatrixXd h = hessian(chosen, chosen), right = Eigen::MatrixXd::Ones(n, 2);
  double kept = 0;
  for (Eigen::Index a = 0; a < n; ++a) kept += d[chosen[std::size_t(a)]];
  h.diagonal().array() += 1e-7 * hessian.trace() + 1e-300;  // poses may not determine them
  for (Eigen::Index a = 0; a < n; ++a) {
    right(a, 0) = -slope[chosen[std::size_t(a)]];
    for (std::size_t j = 0; j < bones; ++j) {
      // Values outside the support become 0: include their change.
      if (d[j] != 0 && std::find(chosen.begin(), chosen.end(), Eigen::Index(j)) == chosen.end()) {
        right(a, 0) += hessian(chosen[std::size_t(a)], Eigen::Index(j)) * double(d[j]);
      }
    }
  }
  const Eigen::MatrixXd solved = solve_symmetric(h, right);
  const double multiplier = (1 - kept - solved.col(0).sum()) / solved.col(1).sum();
  const Eigen::VectorXd step = solved.col(0) + multiplier * solved.col(1);
  values.resize(std::size_t(n));
  for (Eigen::Index a = 0; a < n; ++a) values[std::size_t(a)] = double(d[chosen[std::size_t(a)]]) + step[a];
}

/// Replaces the atom's values by those of the chosen bones; updates residuals.
void PoseAtomDescent::OneAtom::replace(std::size_t k) {
  float* d = all.dictionary.row(k);
  for (std::size_t j = 0; j < bones; ++j) change[j] = -d[j];
  std::fill_n(d, bones, 0.0F);
  for (std::size_t a = 0; a < chosen.size(); ++a) {
    d[chosen[a]] = float(values[a]);
    change[std::size_t(chosen[a])] += float(values[a]);
  }
  for (const auto& [vertex, a] : all.users.of(k)) {
    float* r = all.residuals.data() + vertex * bones;
    for (std::size_t j = 0; j < bones; ++j) r[j] += a * change[j];
  }
}

void PoseAtomDescent::sweep(const std::vector<std::uint8_t>& support) {
  state_->sweep([&](OneAtom& one, std::size_t k) {
    one.chosen.clear();
    for (std::size_t j = 0; j < one.bones; ++j) {
      if (support[k * one.bones + j] != 0) one.chosen.push_back(Eigen::Index(j));
    }
    one.load(k);
    one.solve(k);
    one.replace(k);
  });
}

/// Ranks the values of an atom by backward elimination: repeatedly removes the value with the lowest cost v^2 / P_vv
/// (P: inverse of the Hessian with fixed sum), together with values that would become negative, and updates the others.
/// Similar bones then do not both seem useless. `gains` are monotone: no value ranks below one removed earlier.
void PoseAtomDescent::OneAtom::rank_values(float* gains) {
  std::vector<Eigen::Index> used;
  ranked.clear();
  std::fill_n(gains, bones, 0.0F);
  for (std::size_t j = 0; j < bones; ++j) {
    if (values[j] != 0) used.push_back(Eigen::Index(j));
  }
  Eigen::MatrixXd inside = hessian(used, used);
  inside.diagonal().array() += 1e-9 * hessian.trace() + 1e-30;
  Eigen::MatrixXd p = solve_symmetric(inside, Eigen::MatrixXd::Identity(inside.rows(), inside.cols()));
  const Eigen::VectorXd ones = p.rowwise().sum();
  p -= ones * ones.transpose() / ones.sum();
  std::vector<Eigen::Index> left(used.size());
  std::iota(left.begin(), left.end(), Eigen::Index(0));
  const auto value = [&](Eigen::Index a) -> double& { return values[std::size_t(used[std::size_t(a)])]; };
  double highest = 0, cost = 0;
  std::size_t first = 0;  // first of those removed together
  while (left.size() > 1) {
    auto least = left.begin();
    const auto price = [&](Eigen::Index a) { return value(a) * value(a) / std::max(p(a, a), 1e-300); };
    for (auto a = left.begin(); a != left.end(); ++a) {
      if (price(*a) < price(*least)) least = a;
    }
    const auto lowest = std::min_element(left.begin(), left.end(), [&](auto a, auto b) { return value(a) < value(b); });
    const bool forced = all.sign == Sign::convex && value(*lowest) <= 0;
    if (forced) least = lowest;
    const Eigen::Index out = *least;
    if (!(p(out, out) > 0)) break;
    if (!forced) {
      first = ranked.size();
      cost = 0;
    }
    cost += price(out);
    ranked.push_back(std::size_t(used[std::size_t(out)]));
    left.erase(least);
    const double step = value(out) / p(out, out), scale = 1 / p(out, out);
    for (const Eigen::Index a : left) {
      value(a) -= step * p(a, out);
      const double factor = scale * p(a, out);
      for (const Eigen::Index b : left) p(a, b) -= factor * p(out, b);
    }
    const double each = std::max(highest, cost / double(ranked.size() - first));
    for (std::size_t o = first; o < ranked.size(); ++o) gains[ranked[o]] = float(each);
    const bool done = std::all_of(left.begin(), left.end(), [&](auto a) { return value(a) > 0; });
    if (done || all.sign == Sign::any) highest = each;
  }
  std::stable_sort(left.begin(), left.end(), [&](auto a, auto b) { return value(a) < value(b); });
  for (const Eigen::Index a : left) {
    ranked.push_back(std::size_t(used[std::size_t(a)]));
    gains[ranked.back()] = float(highest);
  }
  gains[ranked.back()] = std::numeric_limits<float>::infinity();  // an atom keeps at least one value
}

void PoseAtomDescent::choose(double price, std::size_t most, std::vector<std::uint8_t>& support,
                             std::vector<float>& gains) {
  support.assign(state_->dictionary.values.size(), 0);
  gains.assign(support.size(), 0);
  state_->sweep([&](OneAtom& one, std::size_t k) {
    one.chosen.resize(one.bones);
    std::iota(one.chosen.begin(), one.chosen.end(), Eigen::Index(0));
    one.load(k);
    one.solve(k);
    float* g = gains.data() + k * one.bones;
    one.rank_values(g);
    const std::size_t spare = one.ranked.size() > most ? one.ranked.size() - most : 0;
    for (std::size_t o = 0; o < spare; ++o) g[one.ranked[o]] = 0;
    one.chosen.clear();
    for (std::size_t j = 0; j < one.bones; ++j) {
      if (!(g[j] > price)) continue;
      support[k * one.bones + j] = 1;
      one.chosen.push_back(Eigen::Index(j));
    }
    one.solve(k);
    one.replace(k);
  });
}

}  // namespace marrow::two_layer
