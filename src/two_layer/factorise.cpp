#include "two_layer/factorise.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>

#include "two_layer/atoms.hpp"
#include "two_layer/exchange_atoms.hpp"
#include "two_layer/new_atoms.hpp"

namespace marrow::two_layer {

Plan plan_of(Effort effort) {
  switch (effort) {
    case Effort::fast:
      return {.iterations = 8,
              .shrinking = 3,
              .settling = 3,
              .pose_iterations = 10,
              .pose_shrinking = 4,
              .pose_settling = 3,
              .far = 0};
    case Effort::normal:
      break;
    case Effort::best:
      return {.iterations = 60,
              .shrinking = 20,
              .settling = 20,
              .pose_iterations = 40,
              .pose_shrinking = 12,
              .pose_settling = 10,
              .far = 8};
  }
  return {.iterations = 16,
          .shrinking = 5,
          .settling = 6,
          .pose_iterations = 24,
          .pose_shrinking = 8,
          .pose_settling = 6,
          .far = 0};
}

namespace {

/// Of the atoms, as many may be exchanged in an iteration.
constexpr double exchanged_share = 0.1;
/// What an atom is missed is found with the others as they are. Where several vertices use it, these can move, and it
/// is missed as many times less, up to this.
constexpr std::size_t missed_less = 4;
/// While the dictionary is small, every vertex looks at all of it.
constexpr std::size_t few_atoms = 64;

std::size_t coefficients(const Coding& coding) {
  std::size_t sum = 0;
  for (const Code& code : coding) sum += code.count;
  return sum;
}

/// What the best of those is worth for which there is no room any more. Finite: what must stay is worth more.
double worth_of_next(std::vector<float>& values, double places) {
  const auto keep = std::size_t(std::max(places, 0.0));
  if (keep >= values.size()) return 0;
  std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(keep), values.end(), std::greater<>());
  return std::min(values[keep], std::numeric_limits<float>::max());
}

/// Atoms that no vertex uses have no place in the budget.
void drop_unused_atoms(Factors& factors) {
  Dictionary& dictionary = factors.dictionary;
  std::vector<std::uint32_t> place(dictionary.atoms());
  for (const Code& code : factors.coding) {
    for (std::uint32_t s = 0; s < code.count; ++s) place[code.atoms[s]] = 1;
  }
  std::uint32_t left = 0;
  for (std::uint32_t j = 0; j < place.size(); ++j) {
    const bool used = place[j] != 0;
    place[j] = left;
    if (!used) continue;
    if (left != j) std::copy_n(dictionary.row(j), dictionary.bones, dictionary.row(left));
    ++left;
  }
  dictionary.values.resize(left * dictionary.bones);
  for (Code& code : factors.coding) {
    for (std::uint32_t s = 0; s < code.count; ++s) code.atoms[s] = place[code.atoms[s]];
  }
}

class Factoriser {
 public:
  Factoriser(const DenseWeights& weights, const Neighbours& neighbours, const PoseMetric* poses,
             const FactorOptions& options, const Run& run)
      : weights_(weights), neighbours_(neighbours), poses_(poses), options_(options), run_(run) {
    factors_.dictionary.bones = weights.bones;
    factors_.coding.resize(weights.vertices);
    // Values of any sign only gain once places are found: before that, they let atoms far apart cancel each other.
    const bool given_signs = std::any_of(weights.values.begin(), weights.values.end(), [](float w) { return w < 0; });
    sign_ = given_signs ? Sign::any : Sign::convex;
    for (std::size_t i = 0; i < weights.vertices; ++i) points_ = points_ && neighbours.of(i).empty();
  }

  Factors solve() {
    initialise();
    const Plan& plan = options_.plan;
    if (poses_ != nullptr) {
      metric_ = poses_;
      code(0, Reach::ring, true);
      fit_poses("fitting poses", plan.pose_iterations, plan.pose_shrinking);
    } else {
      fit_weights("compressing weights", plan.iterations, plan.shrinking);
    }
    if (options_.sign != Sign::any || sign_ == Sign::any) return std::move(factors_);
    // Signs gain little where places are bad, so they come last, and are not kept where they gain nothing.
    sign_ = Sign::any;
    Factors convex = factors_;
    const double before = error();
    if (poses_ != nullptr) {
      fit_poses("fitting poses with signs", plan.pose_iterations / 2, 1);
    } else {
      fit_weights("compressing weights with signs", plan.settling, 1);
    }
    if (!(error() < before)) return convex;
    return std::move(factors_);
  }

 private:
  /// Vertices with the largest errors, in rounds (Eq. 2, many at a time).
  void initialise() {
    add_atoms({0});
    factors_.coding.assign(weights_.vertices, {.count = 1, .atoms = {0}, .values = {1}});
    while (factors_.dictionary.atoms() < options_.atoms) {
      const std::size_t now = factors_.dictionary.atoms();
      const Reach reach = now <= few_atoms ? Reach::everywhere : Reach::ring;
      code(0, reach);
      const std::size_t want = std::min(std::max<std::size_t>(now, 8), options_.atoms - now);
      add_atoms(best_places(hopes(coded_.errors, neighbours_), neighbours_, 1, want));
      if (factors_.dictionary.atoms() == now) break;  // no vertex has an error
      code(0, reach);
      support_.assign(factors_.dictionary.values.size(), 1);
      AtomDescent solver(weights_, factors_.coding, factors_.dictionary, sign_, run_);
      for (int sweep = 0; sweep < 2; ++sweep) solver.sweep(support_);
    }
    code(0, Reach::ring, true);
  }

  void add_atoms(const std::vector<std::uint32_t>& vertices) {
    Dictionary& dictionary = factors_.dictionary;
    for (const std::uint32_t p : vertices) {
      factors_.coding[p] = {.count = 1, .atoms = {std::uint32_t(dictionary.atoms())}, .values = {1}};
      dictionary.values.insert(dictionary.values.end(), weights_.row(p), weights_.row(p) + weights_.bones);
    }
  }

  void code(double price, Reach reach, bool losses = false, std::span<const std::uint8_t> only = {}) {
    const CodingOptions coding{
        .slots = options_.slots, .sign = sign_, .price = price, .reach = reach, .losses = losses, .only = only};
    code_vertices(weights_, *metric_, neighbours_, factors_.dictionary, coding, factors_.coding, coded_, run_);
  }

  /// Exchange atoms, choose which values stay, find them, choose codes; the values of both layers shrink to the budget
  /// within `shrinking` iterations. The last one keeps to the budget exactly.
  void fit_weights(std::string_view stage, int iterations, int shrinking) {
    const int settling = options_.plan.settling;
    for (int it = 0; it < iterations; ++it) {
      const int left = iterations - 1 - it;
      if (left >= settling) exchange();
      if (left == 0) shorten_codes();
      AtomDescent solver(weights_, factors_.coding, factors_.dictionary, sign_, run_);
      choose_supports(solver, std::min(1.0, double(it + 1) / shrinking), left == 0);
      const int sweeps = left == 0 ? 16 : 6;
      for (int sweep = 0; sweep < sweeps; ++sweep) solver.sweep(support_);
      if (left == 0) {
        finish();
      } else {
        code(price_, far_now(left) ? Reach::everywhere : Reach::ring, left > settling);
      }
      run_.check_stop(stage);
      run_.report({.stage = stage, .fraction = double(it + 1) / iterations, .iteration = it + 1});
    }
  }

  /// Whether to look for atoms everywhere, so many iterations before the end.
  bool far_now(int left) const {
    const int every = options_.plan.far;
    return every > 0 && (left % every == 1 || points_);
  }

  /// Values and coefficients in turn, with the supports as they are.
  void finish() {
    code(0, Reach::own);
    for (int round = 0; round < 4; ++round) {
      AtomDescent solver(weights_, factors_.coding, factors_.dictionary, sign_, run_);
      for (int sweep = 0; sweep < 4; ++sweep) solver.sweep(support_);
      code(0, Reach::own);
    }
  }

  /// The same with poses. Atoms begin with all of their values, so that poses and not weights choose which stay.
  void fit_poses(std::string_view stage, int iterations, int shrinking) {
    const Plan& plan = options_.plan;
    const std::size_t most = options_.cardinality > 0 ? options_.cardinality : weights_.bones;
    const double n = double(weights_.vertices), entries = options_.entries;
    const double all = std::max(double(factors_.dictionary.values.size()) + double(options_.slots) * n, entries);
    std::vector<float> gains;
    double spare = 0;  // sweeps set values to 0 that had been counted
    for (int it = 0; it < iterations; ++it) {
      const int left = iterations - 1 - it;
      if (it > 0 && left >= plan.pose_settling) exchange();
      drop_unused_atoms(factors_);
      if (left == 0) shorten_codes();
      PoseAtomDescent solver(weights_, *poses_, factors_.coding, factors_.dictionary, sign_, run_);
      solver.choose(price_, most, support_, gains);
      if (left == 0) {
        end_within_budget(solver, gains);
      } else {
        const double done = std::min(1.0, double(it + 1) / shrinking);
        price_ = price_within(gains, all * std::pow(entries / all, done) + spare);
        for (int sweep = 0; sweep < 2; ++sweep) solver.sweep(support_);
        code(price_, far_now(left) ? Reach::everywhere : Reach::ring, left > plan.pose_settling);
        if (it >= shrinking) spare = std::clamp(spare + (entries - used_entries()) / 2, -0.15 * n, 0.3 * n);
      }
      run_.check_stop(stage);
      run_.report({.stage = stage, .fraction = double(it + 1) / iterations, .iteration = it + 1});
    }
  }

  double price_within(const std::vector<float>& gains, double budget) const {
    const std::size_t n = weights_.vertices;
    std::vector<float> values;
    values.reserve(gains.size() + options_.slots * n);
    std::copy_if(gains.begin(), gains.end(), std::back_inserter(values), [](float g) { return g > 0; });
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t s = 1; s < options_.slots; ++s) values.push_back(coded_.gains[i * max_slots + s]);
    }
    return worth_of_next(values, budget - double(n));
  }

  /// Takes out what is worth least until the budget is kept, then finds the rest once more.
  void end_within_budget(PoseAtomDescent& solver, const std::vector<float>& gains) {
    std::vector<float> values;
    for (std::size_t e = 0; e < gains.size(); ++e) {
      if (support_[e] != 0) values.push_back(gains[e]);
    }
    const double places = options_.entries - double(coefficients(factors_.coding));
    const double price = worth_of_next(values, places);
    for (std::size_t e = 0; e < gains.size(); ++e) support_[e] &= std::uint8_t(gains[e] > price);
    for (int sweep = 0; sweep < 16; ++sweep) solver.sweep(support_);
    code(0, Reach::own);
  }

  double used_entries() const {
    const std::vector<float>& values = factors_.dictionary.values;
    return double(std::count_if(values.begin(), values.end(), [](float v) { return v != 0; })) +
           double(coefficients(factors_.coding));
  }

  /// Of what the layers blend to. The errors of the codes are sums that cancel where coefficients are large.
  double error() const {
    const std::vector<float> residuals = residuals_of(weights_, factors_.dictionary, factors_.coding, run_);
    Differences residual{1, std::vector<float>(weights_.bones * Differences::stride)};
    GramScratch scratch;
    Gram gram;
    double sum = 0;
    for (std::size_t i = 0; i < weights_.vertices; ++i) {
      for (std::size_t x = 0; x < weights_.bones; ++x) {
        residual.values[x * Differences::stride] = residuals[i * weights_.bones + x];
      }
      metric_->gram(i, residual, scratch, gram);
      sum += gram[0];
    }
    return sum;
  }

  /// An atom has one value at least, a vertex one coefficient; and with an atom per vertex nothing is left to win.
  std::size_t most_atoms() const {
    const auto n = weights_.vertices;
    const double allowed = std::clamp(options_.entries - double(n), 1.0, double(n));
    return std::min(3 * options_.atoms, std::size_t(allowed));
  }

  /// Where codes alone are too many for the budget, those that bring least become shorter.
  void shorten_codes() {
    const double allowed = options_.entries - double(factors_.dictionary.atoms());
    for (double price = std::max(price_, 1e-12); price < 1e12; price *= 2) {
      if (double(coefficients(factors_.coding)) <= allowed) break;
      code(price, Reach::own);
    }
  }

  /// What atoms cost with this price of a value.
  std::vector<float> atom_costs(double price) const {
    std::vector<float> costs(factors_.dictionary.atoms());
    for (std::size_t j = 0; j < costs.size(); ++j) {
      const float* d = factors_.dictionary.row(j);
      costs[j] = float(price * double(std::count_if(d, d + weights_.bones, [](float v) { return v != 0; })));
    }
    return costs;
  }

  /// And lets the vertices around choose again.
  void exchange() {
    const double price = options_.fixed_atoms ? 0 : price_;
    const auto limit = std::size_t(exchanged_share * double(factors_.dictionary.atoms()));
    std::vector<float> costs = atom_costs(price), wins;
    std::vector<NewAtom> new_atoms;
    if (metric_ == &weight_metric_) {
      wins = wins_of_new_atoms(weights_, neighbours_, factors_.dictionary, factors_.coding, {price_, price},
                               hopes(coded_.errors, neighbours_), options_.slots, run_);
      for (const std::uint32_t p : best_places(wins, neighbours_, 2, limit)) new_atoms.push_back({p, wins[p]});
      const Users users = users_of(factors_.coding, costs.size());
      for (std::size_t j = 0; j < costs.size(); ++j) {
        costs[j] *= float(std::clamp<std::size_t>(users.of(j).size(), 1, missed_less));
      }
    } else {
      wins = hopes(coded_.errors, neighbours_);
      const float mean = std::accumulate(costs.begin(), costs.end(), 0.0F) / float(costs.size());
      for (const std::uint32_t p : best_places(wins, neighbours_, 1, limit)) new_atoms.push_back({p, wins[p] - mean});
    }
    const std::size_t most = options_.fixed_atoms ? options_.atoms : most_atoms();
    exchange_atoms(weights_, neighbours_, coded_, costs, new_atoms, limit, most, factors_.dictionary, factors_.coding,
                   touched_);
    code(price_, Reach::ring, false, touched_);
  }

  /// One price for a value of either layer, so that both together keep to the budget.
  void choose_supports(AtomDescent& solver, double done, bool exact) {
    const std::vector<float> gains = solver.entry_gains();
    const std::size_t k = weights_.bones, m = factors_.dictionary.atoms(), n = weights_.vertices;
    const double all = double(k * m) + double(options_.slots * n);
    const double budget = all * std::pow(std::min(options_.entries / all, 1.0), done);
    // Every vertex has one coefficient, and every atom its best value; the others compete.
    std::vector<float> values;
    values.reserve(k * m + options_.slots * n);
    support_.assign(k * m, 0);
    for (std::size_t j = 0; j < m; ++j) {
      const float* g = gains.data() + j * k;
      const auto best = std::size_t(std::max_element(g, g + k) - g);
      support_[j * k + best] = 1;
      for (std::size_t x = 0; x < k; ++x) {
        if (x != best) values.push_back(g[x]);
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

  void limit_cardinality(const std::vector<float>& gains) {
    const std::size_t k = weights_.bones;
    if (options_.cardinality == 0 || options_.cardinality >= k) return;
    std::vector<float> sorted(k);
    for (std::size_t j = 0; j < factors_.dictionary.atoms(); ++j) {
      const float* g = gains.data() + j * k;
      std::copy_n(g, k, sorted.begin());
      std::nth_element(sorted.begin(), sorted.begin() + std::ptrdiff_t(options_.cardinality), sorted.end(),
                       std::greater<>());
      const auto best = std::size_t(std::max_element(g, g + k) - g);
      for (std::size_t x = 0; x < k; ++x) {
        if (x != best && g[x] <= sorted[options_.cardinality]) support_[j * k + x] = 0;
      }
    }
  }

  const DenseWeights& weights_;
  const Neighbours& neighbours_;
  const PoseMetric* poses_;
  const FactorOptions& options_;
  const Run& run_;
  WeightMetric weight_metric_;
  const Metric* metric_ = &weight_metric_;
  Sign sign_;
  bool points_ = true;  ///< no vertex has a neighbour to learn from
  Factors factors_;
  Coded coded_;
  double price_ = 0;                   ///< error that a value of either layer must be worth
  std::vector<std::uint8_t> support_;  ///< #atoms x #bones: which values may be other than 0
  std::vector<std::uint8_t> touched_;  ///< #vertices, by the last exchange
};

}  // namespace

Factors factorise(const DenseWeights& weights, const Neighbours& neighbours, const PoseMetric* poses,
                  const FactorOptions& options, const Run& run) {
  return Factoriser(weights, neighbours, poses, options, run).solve();
}

}  // namespace marrow::two_layer
