// Le & Deng 2013, Algorithm 1, lines 9 to 14, for the error of the weights (Eq. 1a). Differs: instead of c values per
// atom, the values of both layers with the largest gains share the budget.
#include <algorithm>
#include <cmath>
#include <functional>

#include "two_layer/factoriser.hpp"

namespace marrow::two_layer {
namespace {

/// Factor by which the price rises until codes are short enough.
constexpr double price_step = 1.25;

}  // namespace

void Factoriser::fit_weights(std::string_view stage, int iterations, int shrinking, const Run& run) {
  const int settling = options_.schedule.settling;
  for (int it = 0; it < iterations; ++it) {
    const int left = iterations - 1 - it;
    if (left >= settling) exchange();
    // The support of atoms is fixed: shorten only codes.
    if (left == 0) shorten_codes(double(std::count(support_.begin(), support_.end(), 1)));
    AtomDescent solver(weights_, factors_.coding, factors_.dictionary, sign_, run_);
    choose_supports(solver, std::min(1.0, double(it + 1) / shrinking), left == 0);
    const int sweeps = left == 0 ? 16 : 6;
    for (int sweep = 0; sweep < sweeps; ++sweep) solver.sweep(support_);
    if (left == 0) {
      finish();
    } else {
      code(price_, reach(left), left > settling);
    }
    run.check_stop(stage);
    run.report({.stage = stage,
                .fraction = double(it + 1 + std::min(it + 1, shrinking)) / (iterations + shrinking),
                .iteration = it + 1});
  }
}

void Factoriser::finish() {
  code(0, Reach::own);
  for (int round = 0; round < 4; ++round) {
    AtomDescent solver(weights_, factors_.coding, factors_.dictionary, sign_, run_);
    for (int sweep = 0; sweep < 4; ++sweep) solver.sweep(support_);
    code(0, Reach::own);
  }
}

void Factoriser::shorten_codes(double atom_values) {
  const std::size_t n = weights_.vertices;
  const double allowed = std::max(options_.entries - atom_values, double(n));
  std::vector<float> worths;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint32_t s = 1; s < factors_.coding[i].count; ++s) worths.push_back(coded_.gains[i * max_slots + s]);
  }
  double price = std::max({price_, worth_of_next(worths, allowed - double(n)), 1e-12});
  for (; double(coefficients(factors_.coding)) > allowed; price *= price_step) code(price, Reach::own);
}

void Factoriser::choose_supports(AtomDescent& solver, double done, bool exact) {
  const std::vector<float> gains = solver.entry_gains();
  const std::size_t bones = weights_.bones, m = factors_.dictionary.atoms(), n = weights_.vertices;
  const double all = double(bones * m) + double(options_.slots * n);
  const double budget = all * std::pow(std::min(options_.entries / all, 1.0), done);
  // Every vertex keeps one coefficient and every atom its best value; all others compete.
  std::vector<float> values;
  values.reserve(bones * m + options_.slots * n);
  support_.assign(bones * m, 0);
  for (std::size_t k = 0; k < m; ++k) {
    const float* g = gains.data() + k * bones;
    const auto best = std::size_t(std::max_element(g, g + bones) - g);
    support_[k * bones + best] = 1;
    for (std::size_t j = 0; j < bones; ++j) {
      if (j != best) values.push_back(g[j]);
    }
  }
  double taken = double(m + n);
  if (exact) {
    taken = double(m + coefficients(factors_.coding));
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t s = 1; s < options_.slots; ++s) values.push_back(coded_.gains[i * max_slots + s]);
    }
  }
  price_ = worth_of_next(values, budget - taken);
  for (std::size_t e = 0; e < gains.size(); ++e) support_[e] |= std::uint8_t(gains[e] > price_);
  limit_cardinality(gains);
}

void Factoriser::limit_cardinality(const std::vector<float>& gains) {
  const std::size_t bones = weights_.bones;
  if (options_.cardinality == 0 || options_.cardinality >= bones) return;
  std::vector<float> sorted(bones);
  for (std::size_t k = 0; k < factors_.dictionary.atoms(); ++k) {
    const float* g = gains.data() + k * bones;
    std::copy_n(g, bones, sorted.begin());
    std::nth_element(sorted.begin(), sorted.begin() + std::ptrdiff_t(options_.cardinality), sorted.end(),
                     std::greater<>());
    const auto best = std::size_t(std::max_element(g, g + bones) - g);
    for (std::size_t j = 0; j < bones; ++j) {
      if (j != best && g[j] <= sorted[options_.cardinality]) support_[k * bones + j] = 0;
    }
  }
}

}  // namespace marrow::two_layer
