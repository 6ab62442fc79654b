#include "two_layer/factorise.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "two_layer/atoms.hpp"
#include "two_layer/reseed.hpp"

namespace marrow::two_layer {
namespace {

std::size_t coefficients(const Coding& coding) {
  std::size_t sum = 0;
  for (const Code& code : coding) sum += code.count;
  return sum;
}

static const double CG = getenv("CG") ? atof(getenv("CG")) : 1;
class Factoriser {
 public:
  Factoriser(const DenseWeights& weights, const Metric& metric, const ssdr::Neighbours& neighbours,
             const FactorOptions& options, const Run& run)
      : weights_(weights), metric_(metric), neighbours_(neighbours), options_(options), run_(run) {
    factors_.dictionary.bones = weights.bones;
    factors_.coding.resize(weights.vertices);
  }

  Factors solve() {
    initialise();
    static const int SHR = getenv("SHR") ? atoi(getenv("SHR")) : 9, FIN = getenv("FIN") ? atoi(getenv("FIN")) : 4;
    const int shrinking = SHR;
    for (int it = 0; it < options_.iterations; ++it) {
      const bool last = it + 1 == options_.iterations;
      if (it + FIN < options_.iterations) exchange();
      const double done = std::min(1.0, double(it + 1) / shrinking);
      AtomDescent descent(weights_, factors_.coding, factors_.dictionary, options_.sign, run_);
      choose_supports(descent, done, last);
      for (int sweep = 0; sweep < (last ? 16 : 6); ++sweep) descent.sweep(support_);
      code(last ? 0 : price_ / CG, last ? Reach::own : it + options_.far_iterations + 1 >= options_.iterations ? Reach::everywhere : Reach::ring, it + 1 + FIN < options_.iterations);
      if (getenv("DBG")) {
        double sum = 0; std::vector<float> sorted = coded_.errors; for (float e : sorted) sum += e;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        double top = 0; for (std::size_t i = 0; i < sorted.size() / 20; ++i) top += sorted[i];
        std::size_t nz = 0; for (float v : factors_.dictionary.values) nz += v != 0;
        printf("it %d: %.4f m %zu nnzD %.3f coef %.3f price %.3g top5%% %.2f max %.3g\n", it, 1000 * std::sqrt(sum / double(weights_.values.size())), factors_.dictionary.atoms(), double(nz) / double(weights_.vertices), double(coefficients(factors_.coding)) / double(weights_.vertices), price_, top / sum, sorted[0]);
      }
    }
    const int polish = getenv("POL") ? atoi(getenv("POL")) : 0;
    for (int it = 0; it < polish; ++it) {
      AtomDescent descent(weights_, factors_.coding, factors_.dictionary, options_.sign, run_);
      for (int sweep = 0; sweep < 2; ++sweep) descent.sweep(support_);
      code(0, Reach::own);
    }
    return std::move(factors_);
  }

 private:
  /// Vertices far from each other first; then, in rounds, those with the largest errors (Eq. 2, many at a time).
  void initialise() {
    add_atoms({0});
    factors_.coding.assign(weights_.vertices, {.count = 1, .atoms = {0}, .values = {1}});
    while (factors_.dictionary.atoms() < options_.atoms) {
      const std::size_t now = factors_.dictionary.atoms();
      code(0, now <= 64 ? Reach::everywhere : Reach::ring);
      const std::size_t want = std::min(std::max<std::size_t>(now, 8), options_.atoms - now);
      add_atoms(worst_vertices(coded_.errors, neighbours_, want));
      if (factors_.dictionary.atoms() == now) break;  // every vertex has one
      code(0, now <= 64 ? Reach::everywhere : Reach::ring);
      AtomDescent descent(weights_, factors_.coding, factors_.dictionary, options_.sign, run_);
      support_.assign(factors_.dictionary.values.size(), 1);
      for (int sweep = 0; sweep < 2; ++sweep) descent.sweep(support_);
    }
    code(0, Reach::ring, true);
  }

  /// And lets the vertices around choose again.
  void exchange() {
    const std::size_t k = weights_.bones;
    AtomPrices prices{price_, std::vector<std::uint32_t>(factors_.dictionary.atoms())};
    for (std::size_t j = 0; j < prices.cardinality.size(); ++j) {
      const float* d = factors_.dictionary.row(j);
      prices.cardinality[j] = std::uint32_t(std::count_if(d, d + k, [](float v) { return v != 0; }));
    }
    static const double cap = getenv("CAP") ? atof(getenv("CAP")) : 3, share = getenv("SHARE") ? atof(getenv("SHARE")) : 0.05, hf = getenv("PF") ? atof(getenv("PF")) : 1;
    prices.value *= hf;
    exchange_atoms(weights_, neighbours_, coded_, prices, share, std::size_t(cap * double(options_.atoms)), factors_.dictionary, factors_.coding, touched_);
    code(price_ / CG, Reach::ring, false, touched_);
  }

  void add_atoms(const std::vector<std::uint32_t>& vertices) {
    Dictionary& dictionary = factors_.dictionary;
    for (const std::uint32_t p : vertices) {
      factors_.coding[p] = {.count = 1, .atoms = {std::uint32_t(dictionary.atoms())}, .values = {1}};
      dictionary.values.insert(dictionary.values.end(), weights_.row(p), weights_.row(p) + weights_.bones);
    }
  }

  void code(double price, Reach reach, bool losses = false, std::span<const std::uint8_t> only = {}) {
    const CodingOptions coding{.slots = options_.slots, .sign = options_.sign, .price = price, .reach = reach,
                               .losses = losses, .only = only};
    code_vertices(weights_, metric_, neighbours_, factors_.dictionary, coding, factors_.coding, coded_, run_);
  }

  /// One price for a value of either layer, so that both together keep to the budget.
  void choose_supports(const AtomDescent& descent, double done, bool exact) {
    const std::vector<float> gains = descent.entry_gains();
    const std::size_t k = weights_.bones, m = factors_.dictionary.atoms(), n = weights_.vertices;
    const double all = double(k * m) + double(options_.slots * n);
    const double budget = std::exp(std::log(all) + done * (std::log(std::min(options_.entries, all)) - std::log(all)));
    std::vector<float> values = gains;
    std::size_t fixed = 0;
    if (exact) {
      fixed = coefficients(factors_.coding);
    } else {
      fixed = n;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t s = 1; s < options_.slots; ++s) values.push_back(float(CG) * coded_.gains[i * max_slots + s]);
      }
    }
    // TODO one per atom
    const auto keep = std::size_t(std::max(budget - double(fixed), double(m)));
    price_ = 0;
    if (keep < values.size()) {
      std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(keep), values.end(), std::greater<>());
      price_ = values[keep];
    }
    support_.resize(k * m);
    for (std::size_t j = 0; j < m; ++j) {
      const float* g = gains.data() + j * k;
      const auto best = std::size_t(std::max_element(g, g + k) - g);
      for (std::size_t x = 0; x < k; ++x) support_[j * k + x] = g[x] > price_ || x == best;
    }
  }

  const DenseWeights& weights_;
  const Metric& metric_;
  const ssdr::Neighbours& neighbours_;
  const FactorOptions& options_;
  const Run& run_;
  Factors factors_;
  Coded coded_;
  std::vector<std::uint8_t> support_;
  std::vector<std::uint8_t> touched_;
  double price_ = 0;
};

}  // namespace

Factors factorise(const DenseWeights& weights, const Metric& metric, const ssdr::Neighbours& neighbours,
                  const FactorOptions& options, const Run& run) {
  return Factoriser(weights, metric, neighbours, options, run).solve();
}

}  // namespace marrow::two_layer
