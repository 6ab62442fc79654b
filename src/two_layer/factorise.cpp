#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "marrow/stages.hpp"
#include "two_layer/exchange_atoms.hpp"
#include "two_layer/factoriser.hpp"
#include "two_layer/new_atoms.hpp"

namespace marrow::two_layer {
namespace {

/// Of the atoms, as many may be exchanged in an iteration.
constexpr double exchanged_share = 0.1;
/// What an atom is missed is found with the others as they are. Where several vertices use it, these can move, and it
/// is missed as many times less, up to this.
constexpr std::size_t missed_less = 4;
/// While the dictionary is small, every vertex looks at all of it.
constexpr std::size_t few_atoms = 64;

double cost_of_refitting(const Schedule& schedule) {
  return refit_iteration * (schedule.pose_iterations + schedule.refits) + polishing_round * schedule.polishing;
}

}  // namespace

double cost_of_factorising(const Schedule& schedule, bool poses, bool refit) {
  const double fitting = poses ? schedule.pose_iterations : schedule.iterations;
  return start_of_layers + fitting + (refit ? cost_of_refitting(schedule) : 0);
}

std::size_t coefficients(const Coding& coding) {
  std::size_t sum = 0;
  for (const Code& code : coding) sum += code.count;
  return sum;
}

double worth_of_next(std::vector<float>& values, double places) {
  if (places >= double(values.size())) return 0;
  const auto keep = std::size_t(std::max(places, 0.0));
  std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(keep), values.end(), std::greater<>());
  return std::min(values[keep], std::numeric_limits<float>::max());
}

Factoriser::Factoriser(const DenseWeights& weights, const Neighbours& neighbours, const PoseMetric* poses,
                       const FactorOptions& options, const Run& run, PoseRefit* refit)
    : weights_(weights),
      neighbours_(neighbours),
      around_(within_two_edges(neighbours)),
      given_poses_(poses),
      poses_(poses),
      refit_(refit),
      options_(options),
      run_(run) {
  factors_.dictionary.bones = weights.bones;
  factors_.coding.resize(weights.vertices);
  // Values of any sign only gain once places are found: before that, they let atoms far apart cancel each other.
  const bool given_signs = std::any_of(weights.values.begin(), weights.values.end(), [](float w) { return w < 0; });
  sign_ = given_signs ? Sign::any : Sign::convex;
}

Factors Factoriser::solve() {
  const Schedule& schedule = options_.schedule;
  const bool refits = poses_ != nullptr && refit_ != nullptr, signs = options_.sign == Sign::any && sign_ != Sign::any;
  const double fitting = poses_ != nullptr ? schedule.pose_iterations : schedule.iterations;
  Stages stages(run_, {start_of_layers, fitting, refits ? cost_of_refitting(schedule) : 0, signs ? fitting / 2 : 0});
  stages.next();
  initialise();
  Run fits = stages.next();
  if (poses_ != nullptr) {
    metric_ = poses_;
    code(0, Reach::ring, true);
    const Factors start = refit_ != nullptr ? factors_ : Factors{};
    fit_poses("fitting poses", schedule.pose_iterations, schedule.pose_shrinking, fits);
    fits = stages.next();
    if (refit_ != nullptr) try_to_better([&] { refit_from(start, fits); });
  } else {
    fit_weights("compressing weights", schedule.iterations, schedule.shrinking, fits);
  }
  if (signs) {
    // Signs gain little where places are bad, so they come last.
    sign_ = Sign::any;
    const Run last = stages.next(1, 0);
    try_to_better([&] { allow_signs(last); });
  }
  stages.done();
  return std::move(factors_);
}

void Factoriser::allow_signs(const Run& run) {
  const Schedule& schedule = options_.schedule;
  if (refit_ != nullptr) {
    Stages stages(run, {refit_iteration * schedule.pose_iterations / 2, polishing_round * schedule.polishing});
    fit_poses("refitting with signs", schedule.pose_iterations / 2, 1, stages.next());
    polish(stages.next());
  } else if (poses_ != nullptr) {
    fit_poses("fitting poses with signs", schedule.pose_iterations / 2, 1, run);
  } else {
    fit_weights("compressing weights with signs", schedule.settling, 1, run);
  }
}

void Factoriser::try_to_better(const std::function<void()>& change) {
  Factors before = factors_;
  const Coded coded = coded_;
  const double least = error(), price = price_;
  change();
  if (error() < least) {
    if (refit_ != nullptr) factors_.moved = {refit_->positions(), refit_->transforms()};
    return;
  }
  factors_ = std::move(before);
  coded_ = coded;
  price_ = price;
  if (refit_ == nullptr || factors_.moved) return;
  // Nothing has moved, and nothing will.
  refit_ = nullptr;
  moves_ = false;
  metric_ = poses_ = given_poses_;
}

void Factoriser::initialise() {
  add_atoms({0});
  factors_.coding.assign(weights_.vertices, {.count = 1, .atoms = {0}, .values = {1}});
  while (factors_.dictionary.atoms() < options_.atoms) {
    const std::size_t now = factors_.dictionary.atoms();
    const Reach reach = now <= few_atoms ? Reach::everywhere : Reach::ring;
    code(0, reach);
    const std::size_t want = std::min(std::max<std::size_t>(now, 8), options_.atoms - now);
    add_atoms(best_places(hopes(coded_.errors, neighbours_), neighbours_, want));
    if (factors_.dictionary.atoms() == now) break;  // no vertex has an error
    code(0, reach);
    support_.assign(factors_.dictionary.values.size(), 1);
    AtomDescent solver(weights_, factors_.coding, factors_.dictionary, sign_, run_);
    solver.sweep(support_);  // no two atoms share a vertex, so one is exact
  }
  slots_ = options_.slots;
  code(0, Reach::ring, true);
}

void Factoriser::add_atoms(const std::vector<std::uint32_t>& vertices) {
  Dictionary& dictionary = factors_.dictionary;
  for (const std::uint32_t p : vertices) {
    factors_.coding[p] = {.count = 1, .atoms = {std::uint32_t(dictionary.atoms())}, .values = {1}};
    dictionary.values.insert(dictionary.values.end(), weights_.row(p), weights_.row(p) + weights_.bones);
  }
}

void Factoriser::code(double price, Reach reach, bool losses, std::span<const std::uint8_t> only) {
  const CodingOptions coding{
      .slots = slots_, .sign = sign_, .price = price, .reach = reach, .losses = losses, .only = only};
  code_vertices(given(), factors_.dictionary, coding, factors_.coding, coded_, run_);
}

Reach Factoriser::reach(int left) const {
  const Schedule& schedule = options_.schedule;
  const int every = moves_ ? schedule.refit_far : metric_ == poses_ ? schedule.pose_far : schedule.far;
  return every > 0 && left % every == 1 ? Reach::everywhere : Reach::ring;
}

std::size_t Factoriser::most_atoms() const {
  const auto n = weights_.vertices;
  const double allowed = std::clamp(options_.entries - double(n), 1.0, double(n));
  return std::min(3 * options_.atoms, std::size_t(allowed));
}

std::vector<float> Factoriser::atom_costs(double price) const {
  std::vector<float> costs(factors_.dictionary.atoms());
  for (std::size_t k = 0; k < costs.size(); ++k) {
    const float* d = factors_.dictionary.row(k);
    costs[k] = float(price * double(std::count_if(d, d + weights_.bones, [](float v) { return v != 0; })));
  }
  return costs;
}

void Factoriser::exchange() {
  const double price = options_.fixed_atoms ? 0 : price_;
  const auto limit = std::size_t(exchanged_share * double(factors_.dictionary.atoms()));
  Exchange exchange{.costs = atom_costs(price), .new_atoms = {}, .limit = limit};
  std::vector<float>& costs = exchange.costs;
  std::vector<float> wins;
  if (metric_ == &weight_metric_) {
    wins = wins_of_new_atoms(given(), factors_.dictionary, factors_.coding, ValuePrices{price_, price},
                             hopes(coded_.errors, neighbours_), options_.slots, run_);
    const Users users = users_of(factors_.coding, costs.size());
    for (std::size_t k = 0; k < costs.size(); ++k) {
      costs[k] *= float(std::clamp<std::size_t>(users.of(k).size(), 1, missed_less));
    }
  } else {
    const double mean = std::accumulate(costs.begin(), costs.end(), 0.0) / double(costs.size());
    wins = wins_of_new_atoms(given(), factors_.dictionary, factors_.coding, AtomPrices{price_, mean},
                             hopes(coded_.errors, neighbours_), options_.slots, run_);
  }
  for (const std::uint32_t p : best_places(wins, around_, limit)) exchange.new_atoms.push_back({p, wins[p]});
  exchange.most = options_.fixed_atoms ? options_.atoms : most_atoms();
  exchange_atoms(given(), coded_, exchange, factors_.dictionary, factors_.coding, touched_);
  code(price_, Reach::ring, false, touched_);
}

double Factoriser::error() const {
  if (refit_ != nullptr) return refit_->error(factors_.dictionary, factors_.coding);
  const std::vector<float> residuals = residuals_of(weights_, factors_.dictionary, factors_.coding, run_);
  Differences residual{1, std::vector<float>(weights_.bones * Differences::stride)};
  GramScratch scratch;
  Gram gram;
  double sum = 0;
  for (std::size_t i = 0; i < weights_.vertices; ++i) {
    for (std::size_t j = 0; j < weights_.bones; ++j) {
      residual.values[j * Differences::stride] = residuals[i * weights_.bones + j];
    }
    metric_->gram(i, residual, scratch, gram);
    sum += gram[0];
  }
  return sum;
}

Factors factorise(const DenseWeights& weights, const Neighbours& neighbours, const PoseMetric* poses,
                  const FactorOptions& options, const Run& run, PoseRefit* refit) {
  return Factoriser(weights, neighbours, poses, options, run, refit).solve();
}

}  // namespace marrow::two_layer
