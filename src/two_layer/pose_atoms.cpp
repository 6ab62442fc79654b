#include <Eigen/Core>
#include <memory>

#include "core/factor.hpp"
#include "reduce/simplex_qp.hpp"
#include "two_layer/atoms.hpp"
#include "two_layer/pose_metric.hpp"

namespace marrow::two_layer {

struct PoseAtomDescent::State {
  const PoseMetric& metric;
  Dictionary& dictionary;
  Sign sign;
  Users users;
  std::vector<float> residuals;
  std::size_t k = dictionary.bones;

  // Of the atom at hand, for a change d of its values: d^T hessian d + 2 slope^T d.
  Eigen::MatrixXd hessian = Eigen::MatrixXd(Eigen::Index(k), Eigen::Index(k));
  Eigen::VectorXd slope = Eigen::VectorXd(Eigen::Index(k));
  std::vector<double> moved = std::vector<double>(PoseMetric::forms * k);  ///< sum_i a m_q(u) r
  std::vector<Eigen::Index> chosen{};
  reduction::SimplexQp qp{k};
  std::vector<double> values{};

  void load(std::size_t j);
  double error_of_users(std::size_t j) const;
  void solve_convex(std::size_t j);
  void solve_affine(std::size_t j);
};

/// Q r summed over the vertices of an atom is sum_q H_q (sum_i a m_q(u_i) r_i): bones x bones work per atom, not per
/// vertex.
void PoseAtomDescent::State::load(std::size_t j) {
  std::array<double, PoseMetric::forms> weight{};
  std::fill(moved.begin(), moved.end(), 0.0);
  slope.setZero();
  for (const auto& [vertex, a] : users.of(j)) {
    const auto& m = metric.moments(vertex);
    const float *r = residuals.data() + vertex * k, *g = metric.slope(vertex);
    for (std::size_t q = 0; q < PoseMetric::forms; ++q) {
      weight[q] += double(a) * a * m[q];
      const double am = double(a) * m[q];
      double* row = moved.data() + q * k;
      for (std::size_t x = 0; x < k; ++x) row[x] += am * r[x];
    }
    for (std::size_t x = 0; x < k; ++x) slope[Eigen::Index(x)] += double(a) * g[x];
  }
  hessian.setZero();
  for (std::size_t q = 0; q < PoseMetric::forms; ++q) {
    using Table = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
    const Table h(metric.form(q), Eigen::Index(k), Eigen::Index(k));
    hessian += weight[q] * h.cast<double>();
    slope.noalias() += h.cast<double>() * Eigen::Map<const Eigen::VectorXd>(moved.data() + q * k, Eigen::Index(k));
  }
}

PoseAtomDescent::PoseAtomDescent(const DenseWeights& weights, const PoseMetric& metric, const Coding& coding,
                                 Dictionary& dictionary, Sign sign, const Run& run)
    : state_(new State{metric, dictionary, sign, users_of(coding, dictionary.atoms()),
                       residuals_of(weights, dictionary, coding, run)}) {}
PoseAtomDescent::~PoseAtomDescent() = default;

/// As a form in the new values v with sum 1: v^T (H + l 1^T + 1 l^T + c) v with l = slope - H d; c makes it positive.
void PoseAtomDescent::State::solve_convex(std::size_t j) {
  const std::size_t n = chosen.size();
  const float* d = dictionary.row(j);
  values.assign(n, 0);
  Eigen::VectorXd linear = slope;
  double sum = 0;
  for (std::size_t x = 0; x < k; ++x) {
    if (d[x] != 0) linear -= double(d[x]) * hessian.col(Eigen::Index(x));
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

/// The best values with the sum held, with a small ridge towards those of now: H x = right + m 1.
void PoseAtomDescent::State::solve_affine(std::size_t j) {
  const auto n = Eigen::Index(chosen.size());
  const float* d = dictionary.row(j);
  Eigen::MatrixXd h = hessian(chosen, chosen), right = Eigen::MatrixXd::Ones(n, 2);
  double kept = 0;
  for (Eigen::Index a = 0; a < n; ++a) kept += d[chosen[std::size_t(a)]];
  h.diagonal().array() += 1e-7 * hessian.trace() + 1e-300;  // poses may say nothing
  for (Eigen::Index a = 0; a < n; ++a) {
    right(a, 0) = -slope[chosen[std::size_t(a)]];
    for (std::size_t x = 0; x < k; ++x) {
      // What leaves the support changes too: d becomes 0 there.
      if (d[x] != 0 && std::find(chosen.begin(), chosen.end(), Eigen::Index(x)) == chosen.end()) {
        right(a, 0) += hessian(chosen[std::size_t(a)], Eigen::Index(x)) * double(d[x]);
      }
    }
  }
  const Eigen::MatrixXd solved = solve_symmetric(h, right);
  const double multiplier = (1 - kept - solved.col(0).sum()) / solved.col(1).sum();
  const Eigen::VectorXd change = solved.col(0) + multiplier * solved.col(1);
  values.resize(std::size_t(n));
  for (Eigen::Index a = 0; a < n; ++a) values[std::size_t(a)] = double(d[chosen[std::size_t(a)]]) + change[a];
}

void PoseAtomDescent::sweep(const std::vector<std::uint8_t>& support) {
  State& s = *state_;
  std::vector<float> change(s.k);
  for (std::size_t j = 0; j < s.dictionary.atoms(); ++j) {
    if (s.users.of(j).empty()) continue;
    s.chosen.clear();
    for (std::size_t x = 0; x < s.k; ++x) {
      if (support[j * s.k + x] != 0) s.chosen.push_back(Eigen::Index(x));
    }
    s.load(j);
    s.sign == Sign::convex ? s.solve_convex(j) : s.solve_affine(j);
    float* d = s.dictionary.row(j);
    for (std::size_t x = 0; x < s.k; ++x) change[x] = -d[x];
    std::fill_n(d, s.k, 0.0F);
    for (std::size_t a = 0; a < s.chosen.size(); ++a) {
      d[s.chosen[a]] = float(s.values[a]);
      change[std::size_t(s.chosen[a])] += float(s.values[a]);
    }
    for (const auto& [vertex, a] : s.users.of(j)) {
      float* r = s.residuals.data() + vertex * s.k;
      for (std::size_t x = 0; x < s.k; ++x) r[x] += a * change[x];
    }
  }
}

/// An entry v of the best values costs v^2 / P_vv, P the inverse of the Hessian among the positive ones, with the sum
/// held.
std::vector<float> PoseAtomDescent::entry_gains() {
  State& s = *state_;
  std::vector<float> gains(s.dictionary.values.size());
  for (std::size_t j = 0; j < s.dictionary.atoms(); ++j) {
    if (s.users.of(j).empty()) continue;
    s.chosen.clear();
    for (std::size_t x = 0; x < s.k; ++x) s.chosen.push_back(Eigen::Index(x));
    s.load(j);
    s.sign == Sign::convex ? s.solve_convex(j) : s.solve_affine(j);
    std::vector<Eigen::Index> used;
    for (std::size_t x = 0; x < s.k; ++x) {
      if (s.values[x] != 0) used.push_back(Eigen::Index(x));
    }
    Eigen::MatrixXd inside = s.hessian(used, used);
    inside.diagonal().array() += 1e-9 * s.hessian.trace();
    const Eigen::MatrixXd inverse = solve_symmetric(inside, Eigen::MatrixXd::Identity(inside.rows(), inside.cols()));
    const Eigen::VectorXd ones = inverse.rowwise().sum();
    const double total = ones.sum();
    for (std::size_t a = 0; a < used.size(); ++a) {
      const double p =
          inverse(Eigen::Index(a), Eigen::Index(a)) - ones[Eigen::Index(a)] * ones[Eigen::Index(a)] / total;
      const double v = s.values[std::size_t(used[a])];
      gains[j * s.k + std::size_t(used[a])] = p > 0 ? float(v * v / p) : 0.0F;
    }
  }
  return gains;
}

}  // namespace marrow::two_layer
