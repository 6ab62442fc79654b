// Le & Deng 2013, Section 3.4 and Algorithm 2: coefficients per vertex from the atoms of its neighbours. Differs: two
// to four convex coefficients; all vertices at once, from the neighbours' previous codes; a price per value.
#include "two_layer/coding.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/parallel.hpp"
#include "two_layer/vertex_gram.hpp"

namespace marrow::two_layer {
namespace {

constexpr std::size_t room = Differences::stride;
constexpr std::uint32_t none = room;

/// Candidate atoms, without repeats.
class Candidates {
 public:
  Candidates() { clear(); }
  void clear() {
    count_ = 0;
    std::fill(std::begin(places_), std::end(places_), free_place);
  }
  void add(std::uint32_t atom) {
    if (count_ == room) return;
    std::size_t bucket = atom * 2654435761U >> (32 - bucket_bits);
    for (; places_[bucket] != free_place; bucket = (bucket + 1) % buckets) {
      if (atoms_[places_[bucket]] == atom) return;
    }
    places_[bucket] = std::uint8_t(count_);
    atoms_[count_++] = atom;
  }
  void add(const Code& code) {
    for (std::uint32_t s = 0; s < code.count; ++s) add(code.atoms[s]);
  }
  std::size_t size() const { return count_; }
  std::uint32_t operator[](std::size_t c) const { return atoms_[c]; }
  std::span<const std::uint32_t> atoms() const { return {atoms_, count_}; }

 private:
  static constexpr std::size_t bucket_bits = 7, buckets = 1U << bucket_bits;
  static constexpr std::uint8_t free_place = 255;
  static_assert(2 * room < buckets);

  std::size_t count_ = 0;
  std::uint32_t atoms_[room] = {};
  std::uint8_t places_[buckets];  ///< index in `atoms_`, by hash
};

/// Errors of all pairs of candidates (Eq. 6).
class Pairs {
 public:
  void fill(const VertexGram& gram, Sign sign) {
    const float high = sign == Sign::convex ? 1.0F : most_of_any_sign, low = 1 - high;
    count_ = gram.count();
    kernels::search_kernels().pair_errors(gram.data(), count_, low, high, errors_, least_);
  }

  struct Best {
    std::uint32_t a = 0, b = 0;
    float error = INFINITY;
  };
  /// The best pair without candidate `without`.
  Best best(std::size_t without = room) const {
    Best found;
    for (std::uint32_t r = 0; r + 1 < count_; ++r) {
      if (r == without || !(least_[r] < found.error)) continue;
      const float* row = errors_ + r * room;
      for (std::uint32_t s = r + 1; s < count_; ++s) {
        if (row[s] < found.error && s != without) found = {r, s, row[s]};
      }
    }
    return found;
  }

 private:
  std::size_t count_ = 0;
  float errors_[room * room] = {};
  float least_[room] = {};  ///< per row
};

class VertexCoder {
 public:
  VertexCoder(const Given& given, const Dictionary& dictionary, const CodingOptions& options)
      : options_(options), gram_(given.weights, given.metric, dictionary) {}

  Code code(std::size_t i, const Candidates& candidates, const Code& old, Coded& coded) {
    prepare(i, candidates);
    AtomBlend best = best_single();
    float* gains = coded.gains.data() + i * max_slots;
    std::fill(gains, gains + max_slots, 0.0F);
    AtomBlend next = best;
    for (std::size_t slots = 2; slots <= std::min(options_.slots, candidates.size()); ++slots) {
      const float before = next.error;
      next = slots == 2 ? best_pair() : best_with_one_more(next);
      if (const AtomBlend kept = blend_of(candidates, old, slots); kept.error < next.error) next = kept;
      gains[slots - 1] = before - next.error;
      if (priced(next) < priced(best)) best = next;
    }
    coded.errors[i] = best.error;
    float* losses = coded.losses.data() + i * max_slots;
    Code result{.count = std::uint32_t(best.count)};
    for (std::size_t s = 0; s < best.count; ++s) {
      result.atoms[s] = candidates[best.candidates[s]];
      result.values[s] = best.values[s];
      if (options_.losses) losses[s] = error_without(best, s) - best.error;
    }
    return result;
  }

 private:
  void prepare(std::size_t i, const Candidates& candidates) {
    gram_.fill(i, candidates.atoms());
    for (std::size_t c = 0; c < gram_.count(); ++c) diagonal_[c] = gram_(c, c);
    if (options_.slots > 1) pairs_.fill(gram_, options_.sign);
  }

  AtomBlend best_single() const {
    std::uint32_t best = 0;
    for (std::uint32_t c = 1; c < gram_.count(); ++c) {
      if (gram_(c, c) < gram_(best, best)) best = c;
    }
    return best_blend(gram_.data(), 1, &best, options_.sign);
  }

  AtomBlend best_pair() const {
    const Pairs::Best pair = pairs_.best();
    const std::uint32_t both[] = {pair.a, pair.b};
    return best_blend(gram_.data(), 2, both, options_.sign);
  }

  /// Adds the best third or fourth atom; then tries to replace each of the others.
  AtomBlend best_with_one_more(const AtomBlend& few) const {
    AtomBlend best = extended(few, none);
    for (std::size_t place = 0; place + 1 < best.count; ++place) {
      const AtomBlend other = extended(without(best, place), none);
      if (other.error < best.error) best = other;
    }
    return best;
  }

  AtomBlend without(const AtomBlend& blend, std::size_t place) const {
    std::uint32_t left[max_slots];
    std::size_t n = 0;
    for (std::size_t s = 0; s < blend.count; ++s) {
      if (s != place) left[n++] = blend.candidates[s];
    }
    return best_blend(gram_.data(), n, left, options_.sign);
  }

  /// Adds one atom other than `banned`: of the three with the largest line-search gain, the best.
  AtomBlend extended(const AtomBlend& blend, std::uint32_t banned) const {
    constexpr std::size_t looked_at = 3;
    float gains[room], promise[looked_at] = {};
    std::uint32_t chosen[looked_at] = {none, none, none}, atoms[max_slots];
    std::copy_n(blend.candidates, blend.count, atoms);
    kernels::search_kernels().line_gains(gram_.data(), diagonal_, gram_.count(),
                                         {blend.count, atoms, blend.values, blend.error}, options_.sign == Sign::any,
                                         gains);
    for (std::uint32_t c = 0; c < gram_.count(); ++c) {
      float gain = gains[c];
      if (c == banned || gain <= promise[looked_at - 1]) continue;
      std::uint32_t kept = c;
      for (std::size_t q = 0; q < looked_at; ++q) {
        if (gain > promise[q]) {
          std::swap(gain, promise[q]);
          std::swap(kept, chosen[q]);
        }
      }
    }
    AtomBlend best = blend;
    for (const std::uint32_t c : chosen) {
      if (c == none || std::find(atoms, atoms + blend.count, c) != atoms + blend.count) continue;
      atoms[blend.count] = c;
      const AtomBlend found = best_blend(gram_.data(), blend.count + 1, atoms, options_.sign);
      if (found.error < best.error) best = found;
    }
    return best;
  }

  /// Error without one of the atoms, with the best replacement.
  float error_without(const AtomBlend& blend, std::size_t place) const {
    const std::uint32_t banned = blend.candidates[place];
    if (blend.count > 2) return extended(without(blend, place), banned).error;
    float best = pairs_.best(banned).error;
    for (std::uint32_t c = 0; c < gram_.count(); ++c) {
      if (c != banned) best = std::min(best, gram_(c, c));
    }
    return std::min(best, 4.0F);
  }

  /// The old code with the best coefficients for the current atoms.
  AtomBlend blend_of(const Candidates& candidates, const Code& old, std::size_t slots) const {
    if (old.count == 0 || old.count > slots) return {.error = INFINITY};
    std::uint32_t chosen[max_slots];
    for (std::uint32_t s = 0; s < old.count; ++s) {
      std::uint32_t c = 0;
      while (candidates[c] != old.atoms[s]) ++c;
      chosen[s] = c;
    }
    return best_blend(gram_.data(), old.count, chosen, options_.sign);
  }

  double priced(const AtomBlend& blend) const { return double(blend.error) + options_.price * double(blend.count); }

  const CodingOptions& options_;
  VertexGram gram_;
  float diagonal_[room] = {};
  Pairs pairs_;
};

}  // namespace

void code_vertices(const Given& given, const Dictionary& dictionary, const CodingOptions& options, Coding& coding,
                   Coded& coded, const Run& run) {
  const std::size_t n = given.weights.vertices;
  coded.errors.resize(n);
  coded.losses.resize(n * max_slots);
  coded.gains.resize(n * max_slots);
  const Coding old = coding;
  const auto looks_far = [&](std::size_t i) {
    return options.reach == Reach::everywhere || (options.reach == Reach::ring && given.around.of(i).empty());
  };
  std::unique_ptr<AtomSearch> far;
  for (std::size_t i = 0; i < n && !far; ++i) {
    if (looks_far(i)) far = given.metric.search(given.weights, dictionary);
  }
  parallel_for(run, n, 256, [&](std::size_t begin, std::size_t end) {
    VertexCoder coder(given, dictionary, options);
    AtomSearch::Scratch scratch;
    Candidates candidates;
    for (std::size_t i = begin; i < end; ++i) {
      if (!options.only.empty() && options.only[i] == 0) continue;
      candidates.clear();
      candidates.add(old[i]);
      if (looks_far(i)) {
        for (const std::uint32_t atom : far->find(i, old[i], scratch)) candidates.add(atom);
      }
      if (options.reach != Reach::own) {
        for (const std::uint32_t a : given.around.of(i)) candidates.add(old[a]);
      }
      coding[i] = coder.code(i, candidates, old[i], coded);
    }
  });
}

}  // namespace marrow::two_layer
