// Le & Deng 2013, Section 3.5: layers for the least distance to example poses. Differs: exact sums over all poses
// (pose_metric.hpp), supports chosen by removal costs, and optionally rest pose and motion.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "marrow/stages.hpp"
#include "two_layer/factoriser.hpp"
#include "two_layer/pose_atoms.hpp"

namespace marrow::two_layer {
namespace {

/// During a refit, every `breath_every`-th iteration may use `breath` x the budget, except the last `breathless` ones:
/// moved bones can then choose again.
constexpr double breath = 1.5;
constexpr int breath_every = 3, breathless = 4;

/// Drops atoms that no vertex uses: they would take budget.
void drop_unused_atoms(Factors& factors) {
  Dictionary& dictionary = factors.dictionary;
  std::vector<std::uint32_t> place(dictionary.atoms());
  for (const Code& code : factors.coding) {
    for (std::uint32_t s = 0; s < code.count; ++s) place[code.atoms[s]] = 1;
  }
  std::uint32_t left = 0;
  for (std::uint32_t k = 0; k < place.size(); ++k) {
    const bool used = place[k] != 0;
    place[k] = left;
    if (!used) continue;
    if (left != k) std::copy_n(dictionary.row(k), dictionary.bones, dictionary.row(left));
    ++left;
  }
  dictionary.values.resize(left * dictionary.bones);
  for (Code& code : factors.coding) {
    for (std::uint32_t s = 0; s < code.count; ++s) code.atoms[s] = place[code.atoms[s]];
  }
}

}  // namespace

void Factoriser::fit_poses(std::string_view stage, int iterations, int shrinking, const Run& run) {
  const Schedule& schedule = options_.schedule;
  const std::size_t most = options_.cardinality > 0 ? options_.cardinality : weights_.bones;
  const double n = double(weights_.vertices), entries = options_.entries;
  const double all = std::max(double(factors_.dictionary.values.size()) + double(options_.slots) * n, entries);
  std::vector<float> gains;
  double spare = 0;  // values set to 0 by sweeps, although counted
  for (int it = 0; it < iterations; ++it) {
    const int left = iterations - 1 - it;
    if (it > 0 && left >= schedule.pose_settling) exchange();
    drop_unused_atoms(factors_);
    if (left == 0) shorten_codes(double(factors_.dictionary.atoms()));
    PoseAtomDescent solver(weights_, *poses_, factors_.coding, factors_.dictionary, sign_, run_);
    solver.choose(price_, most, support_, gains);
    if (left == 0) {
      end_within_budget(solver, gains);
    } else {
      const double done = std::min(1.0, double(it + 1) / shrinking);
      const bool breathe = moves_ && it >= shrinking && left > breathless && it % breath_every == 0;
      const double budget = (breathe ? breath : 1) * all * std::pow(entries / all, done);
      price_ = price_within(gains, budget + spare);
      for (int sweep = 0; sweep < 2; ++sweep) solver.sweep(support_);
      code(price_, reach(left), left > schedule.pose_settling);
      if (it >= shrinking && !breathe) spare = std::clamp(spare + (entries - used_entries()) / 2, -0.15 * n, 0.3 * n);
    }
    if (moves_ && it >= shrinking) {
      move();
      code_again(left > 0 ? price_ : 0);
    }
    run.check_stop(stage);
    run.report({.stage = stage, .fraction = double(it + 1) / iterations, .iteration = it + 1});
  }
}

void Factoriser::refit_from(const Factors& start, const Run& run) {
  moves_ = true;
  factors_ = start;
  price_ = 0;
  code(0, Reach::ring, true);
  const int iterations = options_.schedule.pose_iterations + options_.schedule.refits;
  Stages stages(run, {refit_iteration * iterations, polishing_round * options_.schedule.polishing});
  fit_poses("refitting", iterations, options_.schedule.pose_shrinking, stages.next());
  polish(stages.next());
}

void Factoriser::code_again(double price) {
  const Coding before = factors_.coding;
  const Coded found = coded_;
  code(price, Reach::own);
  coded_ = found;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Code &from = before[i], &to = factors_.coding[i];
    for (std::uint32_t s = 0; s < to.count; ++s) {
      const std::size_t slot = std::size_t(std::find(from.atoms, from.atoms + from.count, to.atoms[s]) - from.atoms);
      coded_.losses[i * max_slots + s] = slot < from.count ? found.losses[i * max_slots + slot] : 0;
    }
  }
}

void Factoriser::move() {
  refit_->update(factors_.dictionary, factors_.coding);
  refitted_.emplace(refit_->metric(weights_, factors_.dictionary, factors_.coding));
  metric_ = poses_ = &*refitted_;
}

void Factoriser::polish(const Run& run) {
  for (int round = 0; round < options_.schedule.polishing; ++round) {
    move();
    PoseAtomDescent solver(weights_, *poses_, factors_.coding, factors_.dictionary, sign_, run_);
    for (int sweep = 0; sweep < 3; ++sweep) solver.sweep(support_);
    code(0, Reach::own);
    run.check_stop("polishing");
    run.report({.stage = "polishing", .fraction = double(round + 1) / options_.schedule.polishing});
  }
  refit_->update(factors_.dictionary, factors_.coding);
}

double Factoriser::price_within(const std::vector<float>& gains, double budget) const {
  const std::size_t n = weights_.vertices;
  std::vector<float> values;
  values.reserve(gains.size() + options_.slots * n);
  std::copy_if(gains.begin(), gains.end(), std::back_inserter(values), [](float g) { return g > 0; });
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t s = 1; s < options_.slots; ++s) values.push_back(coded_.gains[i * max_slots + s]);
  }
  return worth_of_next(values, budget - double(n));
}

void Factoriser::end_within_budget(PoseAtomDescent& solver, std::vector<float> gains) {
  const double places = options_.entries - double(coefficients(factors_.coding));
  for (const int sweeps : {4, 4, 16}) {
    std::vector<float> values;
    std::copy_if(gains.begin(), gains.end(), std::back_inserter(values), [](float g) { return g > 0; });
    const double price = worth_of_next(values, places);
    for (std::size_t e = 0; e < gains.size(); ++e) support_[e] = std::uint8_t(gains[e] > price);
    for (int sweep = 0; sweep < sweeps; ++sweep) solver.sweep(support_);
    // A value that became 0 frees its place for the next one.
    for (std::size_t e = 0; e < gains.size(); ++e) {
      if (support_[e] != 0 && factors_.dictionary.values[e] == 0 && std::isfinite(gains[e])) gains[e] = 0;
    }
  }
  code(0, Reach::own);
}

double Factoriser::used_entries() const {
  const std::vector<float>& values = factors_.dictionary.values;
  return double(std::count_if(values.begin(), values.end(), [](float v) { return v != 0; })) +
         double(coefficients(factors_.coding));
}

}  // namespace marrow::two_layer
