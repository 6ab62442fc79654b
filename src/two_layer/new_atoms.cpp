// Method (ours): gain of a new atom with the weights of a vertex. Le & Deng 2013 (lines 5 to 7) adds the vertex with
// the largest error; here the gains of all vertices around count, minus the price of the atom's values.
#include "two_layer/new_atoms.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "two_layer/atoms.hpp"
#include "two_layer/vertex_gram.hpp"

namespace marrow::two_layer {
namespace {

/// Four partial sums, which the compiler may not introduce itself.
float dot(const float* a, const float* b, std::size_t count) {
  constexpr std::size_t width = 4;
  float sum[width] = {};
  std::size_t j = 0;
  for (; j + width <= count; j += width) {
    for (std::size_t l = 0; l < width; ++l) sum[l] += a[j + l] * b[j + l];
  }
  for (; j < count; ++j) sum[j % width] += a[j] * b[j];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// Share of the vertices that are tried.
constexpr double tried_share = 0.15;

float quantile(std::vector<float> values, double share) {
  const auto place = values.begin() + std::ptrdiff_t(share * double(values.size()));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

struct Share {
  float gain = 0;
  float coefficient = 0;  ///< of the new atom
};

/// Best point on the segment from a blend to a new atom, given their squared differences to the weights and the product
/// of these. The gain is relative to the error `now`.
Share best_between(float now, float blend, float atom, float product) {
  const float rise = blend - product, width = std::max(rise - product + atom, 1e-20F);
  const float t = std::clamp(rise / width, 0.0F, 1.0F);
  // Smaller gains may be rounding errors.
  constexpr float rounding = 1e-6F;
  return {now - (blend - t * (2 * rise - t * width)) - rounding * (blend + atom), t};
}

/// Dot products of differences to the weights of a vertex.
struct NewAtomProducts {
  float atom = 0;        ///< of the new atom with itself
  float now = 0;         ///< of the blend with itself
  float with_blend = 0;  ///< of the new atom with the blend
  struct {
    float with_blend = 0;
    float squared = 0;
    float with_new = 0;
  } slots[max_slots] = {};  ///< of the vertex's current atoms
};

/// Best use of the new atom: alone, as an addition, or as replacement of one atom (the ratios of the others fixed).
Share best_share(const Code& code, const NewAtomProducts& products, float price, std::size_t slots) {
  const auto& [atom, now, with_blend, has] = products;
  Share best{now - atom + price * float(code.count - 1), 1};
  if (code.count < slots) {
    Share more = best_between(now, now, atom, with_blend);
    more.gain -= price;
    if (more.gain > best.gain) best = more;
  }
  if (code.count < 2) return best;
  for (std::uint32_t s = 0; s < code.count; ++s) {
    const float a = code.values[s], scale = 1 / std::max(1 - a, 1e-6F);
    const float left = (now - 2 * a * has[s].with_blend + a * a * has[s].squared) * scale * scale;
    const Share other = best_between(now, left, atom, (with_blend - a * has[s].with_new) * scale);
    if (other.gain > best.gain) best = other;
  }
  return best;
}

/// Dot products of all vertices that do not depend on the new atom.
class VertexErrors {
 public:
  VertexErrors(const DenseWeights& weights, const Dictionary& dictionary, const Coding& coding, const Run& run)
      : weights_(weights),
        dictionary_(dictionary),
        coding_(coding),
        residuals_(residuals_of(weights, dictionary, coding, run)),
        errors_(weights.vertices),
        slots_(weights.vertices * max_slots) {
    const std::size_t bones = weights.bones;
    parallel_for(run, weights.vertices, 512, [&](std::size_t begin, std::size_t end) {
      std::vector<float> e(bones);
      for (std::size_t i = begin; i < end; ++i) {
        const float *r = residuals_.data() + i * bones, *w = weights.row(i);
        errors_[i] = dot(r, r, bones);
        for (std::uint32_t s = 0; s < coding[i].count; ++s) {
          const float* d = dictionary.row(coding[i].atoms[s]);
          for (std::size_t j = 0; j < bones; ++j) e[j] = d[j] - w[j];
          slots_[i * max_slots + s] = {dot(e.data(), r, bones), dot(e.data(), e.data(), bones)};
        }
      }
    });
  }

  /// Gain of vertex i from an atom with the weights of vertex p. `e`: buffer of #bones values.
  Share share(std::size_t i, std::size_t p, float price, std::size_t slots, float* e) const {
    const std::size_t bones = weights_.bones;
    const Code& code = coding_[i];
    const float *w = weights_.row(i), *v = weights_.row(p);
    for (std::size_t j = 0; j < bones; ++j) e[j] = v[j] - w[j];
    NewAtomProducts products{dot(e, e, bones), errors_[i], dot(e, residuals_.data() + i * bones, bones)};
    const float along = code.count < 2 ? 0.0F : dot(w, e, bones);
    for (std::uint32_t s = 0; s < code.count && code.count > 1; ++s) {
      const Slot& slot = slots_[i * max_slots + s];
      products.slots[s] = {slot.with_residual, slot.squared, dot(dictionary_.row(code.atoms[s]), e, bones) - along};
    }
    return best_share(code, products, price, slots);
  }

 private:
  /// Dot products of a current atom's difference to the weights.
  struct Slot {
    float with_residual;  ///< with the residual
    float squared;        ///< squared length
  };

  const DenseWeights& weights_;
  const Dictionary& dictionary_;
  const Coding& coding_;
  std::vector<float> residuals_;
  std::vector<float> errors_;
  std::vector<Slot> slots_;
};

/// The same gain in any metric.
class MetricShares {
 public:
  MetricShares(const Given& given, const Dictionary& dictionary, const Coding& coding)
      : weights_(given.weights), coding_(coding), gram_(given.weights, given.metric, dictionary) {}

  Share share(std::size_t i, std::size_t p, float price, std::size_t slots) {
    const Code& code = coding_[i];
    const std::uint32_t last = code.count;
    gram_.fill(i, std::span(code.atoms, last), weights_.row(p));
    NewAtomProducts products{.atom = gram_(last, last)};
    for (std::uint32_t s = 0; s < last; ++s) {
      float with_blend = 0;
      for (std::uint32_t r = 0; r < last; ++r) with_blend += code.values[r] * gram_(s, r);
      products.slots[s] = {with_blend, gram_(s, s), gram_(last, s)};
      products.now += code.values[s] * with_blend;
      products.with_blend += code.values[s] * gram_(last, s);
    }
    return best_share(code, products, price, slots);
  }

 private:
  const DenseWeights& weights_;
  const Coding& coding_;
  VertexGram gram_;
};

}  // namespace

std::vector<float> wins_of_new_atoms(const Given& given, const Dictionary& dictionary, const Coding& coding,
                                     const ValuePrices& prices, const std::vector<float>& hopes, std::size_t slots,
                                     const Run& run) {
  const DenseWeights& weights = given.weights;
  const VertexErrors errors(weights, dictionary, coding, run);
  const float least_hope = quantile(hopes, 1 - tried_share);
  std::vector<float> wins(weights.vertices);
  parallel_for(run, weights.vertices, 256, [&](std::size_t begin, std::size_t end) {
    std::vector<float> scratch(weights.bones);
    for (std::size_t p = begin; p < end; ++p) {
      if (hopes[p] < least_hope) continue;
      double gain = 0, phi = 0;
      const auto add_share_of = [&](std::size_t i) {
        const Share share = errors.share(i, p, float(prices.coefficient), slots, scratch.data());
        if (!(share.gain > 0)) return;
        gain += share.gain;
        phi += double(share.coefficient) * share.coefficient;
      };
      add_share_of(p);
      for (const std::uint32_t i : given.around.of(p)) add_share_of(i);
      // A value that gains less than its price will be dropped.
      for (std::size_t j = 0; j < weights.bones; ++j) {
        const double v = weights.row(p)[j];
        gain -= std::min(prices.atom_value, phi * v * v);
      }
      wins[p] = float(gain);
    }
  });
  return wins;
}

std::vector<float> wins_of_new_atoms(const Given& given, const Dictionary& dictionary, const Coding& coding,
                                     const AtomPrices& prices, const std::vector<float>& hopes, std::size_t slots,
                                     const Run& run) {
  const float least_hope = quantile(hopes, 1 - tried_share);
  std::vector<float> wins(given.weights.vertices);
  parallel_for(run, given.weights.vertices, 256, [&](std::size_t begin, std::size_t end) {
    MetricShares shares(given, dictionary, coding);
    for (std::size_t p = begin; p < end; ++p) {
      if (hopes[p] < least_hope) continue;
      const auto gain_of = [&](std::size_t i) {
        return std::max(shares.share(i, p, float(prices.coefficient), slots).gain, 0.0F);
      };
      double gain = gain_of(p) - prices.atom;
      for (const std::uint32_t i : given.around.of(p)) gain += gain_of(i);
      wins[p] = float(gain);
    }
  });
  return wins;
}

}  // namespace marrow::two_layer
