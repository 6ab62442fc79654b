#include "two_layer/new_atoms.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "two_layer/atoms.hpp"

namespace marrow::two_layer {
namespace {

/// Summed in four lanes, which the compiler may not do by itself.
float dot(const float* a, const float* b, std::size_t count) {
  constexpr std::size_t width = 4;
  float sum[width] = {};
  std::size_t x = 0;
  for (; x + width <= count; x += width) {
    for (std::size_t l = 0; l < width; ++l) sum[l] += a[x + l] * b[x + l];
  }
  for (; x < count; ++x) sum[x % width] += a[x] * b[x];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// Of the vertices, as many are tried.
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

/// The best point between a blend and a new atom, whose differences to the weights have these squared lengths and this
/// product; the gain is against an error of `now`.
Share best_between(float now, float blend, float atom, float product) {
  const float rise = blend - product, width = std::max(rise - product + atom, 1e-20F);
  const float t = std::clamp(rise / width, 0.0F, 1.0F);
  // Less than this may be rounding.
  constexpr float rounding = 1e-6F;
  return {now - (blend - t * (2 * rise - t * width)) - rounding * (blend + atom), t};
}

/// What is known of the vertices before any atom is tried.
class VertexErrors {
 public:
  VertexErrors(const DenseWeights& weights, const Dictionary& dictionary, const Coding& coding, const Run& run)
      : weights_(weights),
        dictionary_(dictionary),
        coding_(coding),
        residuals_(residuals_of(weights, dictionary, coding, run)),
        errors_(weights.vertices),
        slots_(weights.vertices * max_slots) {
    const std::size_t k = weights.bones;
    parallel_for(run, weights.vertices, 512, [&](std::size_t begin, std::size_t end) {
      std::vector<float> e(k);
      for (std::size_t i = begin; i < end; ++i) {
        const float *r = residuals_.data() + i * k, *w = weights.row(i);
        errors_[i] = dot(r, r, k);
        for (std::uint32_t s = 0; s < coding[i].count; ++s) {
          const float* d = dictionary.row(coding[i].atoms[s]);
          for (std::size_t x = 0; x < k; ++x) e[x] = d[x] - w[x];
          slots_[i * max_slots + s] = {dot(e.data(), r, k), dot(e.data(), e.data(), k)};
        }
      }
    });
  }

  /// What vertex i gains by an atom with the weights of vertex p. `e`: room for #bones values.
  Share share(std::size_t i, std::size_t p, float price, std::size_t slots, float* e) const {
    const std::size_t k = weights_.bones;
    const Code& code = coding_[i];
    const float *w = weights_.row(i), *v = weights_.row(p);
    for (std::size_t x = 0; x < k; ++x) e[x] = v[x] - w[x];
    const float atom = dot(e, e, k), product = dot(e, residuals_.data() + i * k, k), now = errors_[i];
    Share best{now - atom + price * float(code.count - 1), 1};
    if (code.count < slots) {
      Share more = best_between(now, now, atom, product);
      more.gain -= price;
      if (more.gain > best.gain) best = more;
    }
    if (code.count < 2) return best;
    const float along = dot(w, e, k);
    for (std::uint32_t s = 0; s < code.count; ++s) {
      // The blend without this atom, the others as they are to each other.
      const float a = code.values[s], scale = 1 / std::max(1 - a, 1e-6F);
      const Slot& slot = slots_[i * max_slots + s];
      const float with_new = dot(dictionary_.row(code.atoms[s]), e, k) - along;
      const float left = (now - 2 * a * slot.with_residual + a * a * slot.squared) * scale * scale;
      const Share other = best_between(now, left, atom, (product - a * with_new) * scale);
      if (other.gain > best.gain) best = other;
    }
    return best;
  }

 private:
  /// Of an atom that a vertex has, minus the weights.
  struct Slot {
    float with_residual;  ///< product
    float squared;        ///< length
  };

  const DenseWeights& weights_;
  const Dictionary& dictionary_;
  const Coding& coding_;
  std::vector<float> residuals_;
  std::vector<float> errors_;
  std::vector<Slot> slots_;
};

}  // namespace

std::vector<float> wins_of_new_atoms(const DenseWeights& weights, const Neighbours& neighbours,
                                     const Dictionary& dictionary, const Coding& coding, const ValuePrices& prices,
                                     const std::vector<float>& hopes, std::size_t slots, const Run& run) {
  const VertexErrors errors(weights, dictionary, coding, run);
  const float least_hope = quantile(hopes, 1 - tried_share);
  std::vector<float> wins(weights.vertices);
  parallel_for(run, weights.vertices, 256, [&](std::size_t begin, std::size_t end) {
    std::vector<float> scratch(weights.bones);
    std::vector<std::uint32_t> around;
    for (std::size_t p = begin; p < end; ++p) {
      if (hopes[p] < least_hope) continue;
      around.assign(1, std::uint32_t(p));
      for (const std::uint32_t a : neighbours.of(p)) {
        around.push_back(a);
        for (const std::uint32_t b : neighbours.of(a)) around.push_back(b);
      }
      std::sort(around.begin(), around.end());
      around.erase(std::unique(around.begin(), around.end()), around.end());
      double gain = 0, phi = 0;
      for (const std::uint32_t i : around) {
        const Share share = errors.share(i, p, float(prices.coefficient), slots, scratch.data());
        if (!(share.gain > 0)) continue;
        gain += share.gain;
        phi += double(share.coefficient) * share.coefficient;
      }
      // A value that brings less than its price will not be kept.
      for (std::size_t x = 0; x < weights.bones; ++x) {
        const double v = weights.row(p)[x];
        gain -= std::min(prices.atom_value, phi * v * v);
      }
      wins[p] = float(gain);
    }
  });
  return wins;
}

}  // namespace marrow::two_layer
