// Schaefer & Yuksel 2007 (method II): edge collapsing; merges the adjacent clusters whose union is most nearly rigid,
// until the number of bones is reached. Differs: clusters at most 300 patches (patches.cpp) on at most 32 frames.
#include "skeleton/merging.hpp"

#include <algorithm>
#include <limits>

#include "core/parallel.hpp"

namespace marrow::skeleton {
namespace {

/// Two adjacent clusters and the cost of merging them.
struct Candidate {
  std::uint32_t a = 0, b = 0;
  double cost = 0;
};

class Merger {
 public:
  Merger(const Patches& patches, const Positions& positions, const Run& run)
      : run_(run), sums_(patches.count()), errors_(patches.count()), label_(patches.count()), alive_(patches.count()) {
    parallel_for(run, patches.count(), 8, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        sums_[p] = sums_of(positions, patches.members[p]);
        errors_[p] = patches.members[p].empty() ? 0 : sums_[p].error();
      }
    });
    for (std::uint32_t p = 0; p < patches.count(); ++p) {
      label_[p] = p;
      alive_[p] = !patches.members[p].empty();
      left_ += alive_[p] ? 1 : 0;
      for (const std::uint32_t q : patches.next[p]) {
        if (p < q) candidates_.push_back({p, q, 0});
      }
    }
    measure(0, candidates_.size());
  }

  std::size_t left() const { return left_; }

  void merge_best() {
    if (candidates_.empty()) return link_apart();
    const auto best = std::ranges::min_element(candidates_, {}, &Candidate::cost);
    const auto [a, b, cost] = *best;
    sums_[a].add(sums_[b]);
    errors_[a] += errors_[b] + cost;
    alive_[b] = false;
    --left_;
    std::ranges::replace(label_, b, a);
    std::vector<Candidate> kept, changed;
    for (Candidate c : candidates_) {
      const bool touched = c.a == a || c.b == a || c.a == b || c.b == b;
      if (!touched) {
        kept.push_back(c);
        continue;
      }
      const std::uint32_t other = c.a == a || c.a == b ? c.b : c.a;
      if (other == a || other == b) continue;
      changed.push_back({std::min(a, other), std::max(a, other), 0});
    }
    std::ranges::sort(changed, {}, [](const Candidate& c) { return std::pair(c.a, c.b); });
    const auto same = [](const Candidate& x, const Candidate& y) { return x.a == y.a && x.b == y.b; };
    changed.erase(std::unique(changed.begin(), changed.end(), same), changed.end());
    candidates_ = std::move(kept);
    const std::size_t first = candidates_.size();
    candidates_.insert(candidates_.end(), changed.begin(), changed.end());
    measure(first, candidates_.size());
  }

  /// Cluster of each patch, numbered by first patch.
  std::vector<std::uint32_t> labels() const {
    std::vector<std::uint32_t> number(label_.size(), 0);
    std::uint32_t next = 0;
    for (std::size_t p = 0; p < alive_.size(); ++p) {
      if (alive_[p]) number[p] = next++;
    }
    std::vector<std::uint32_t> out;
    for (const std::uint32_t l : label_) out.push_back(number[l]);
    return out;
  }

 private:
  /// Without adjacent clusters left, any two may be merged (separate shells).
  void link_apart() {
    for (std::uint32_t a = 0; a < alive_.size(); ++a) {
      for (std::uint32_t b = a + 1; b < alive_.size(); ++b) {
        if (alive_[a] && alive_[b]) candidates_.push_back({a, b, 0});
      }
    }
    measure(0, candidates_.size());
  }

  void measure(std::size_t begin, std::size_t end) {
    parallel_for(run_, end - begin, 4, [&](std::size_t first, std::size_t last) {
      for (std::size_t e = begin + first; e < begin + last; ++e) {
        Candidate& c = candidates_[e];
        RigidSums both = sums_[c.a];
        both.add(sums_[c.b]);
        c.cost = both.error() - errors_[c.a] - errors_[c.b];
      }
    });
  }

  const Run& run_;
  std::vector<RigidSums> sums_;
  std::vector<double> errors_;
  std::vector<std::uint32_t> label_;
  std::vector<std::uint8_t> alive_;
  std::vector<Candidate> candidates_;
  std::size_t left_ = 0;
};

}  // namespace

std::vector<std::uint32_t> merge_patches(const Patches& patches, const Positions& positions, std::size_t count,
                                         const Run& run) {
  Merger merger(patches, positions, run);
  while (merger.left() > count) merger.merge_best();
  return merger.labels();
}

}  // namespace marrow::skeleton
