// Taking bones out of a skeleton that has too many.
#include "skeleton/prune.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/parallel.hpp"
#include "decompose/removal.hpp"
#include "decompose/weights.hpp"
#include "skeleton/trial.hpp"

namespace marrow::skeletal {

ssdr::State as_state(const ssdr::Problem& problem, const Jointed& jointed) {
  ssdr::State state(jointed.bones, problem);
  state.weights = jointed.weights;
  return state;
}

namespace {

/// Iterations after each bone that goes.
constexpr int steps_after_merge = 2;
/// What a bone that is needed adds to the error: this share of it, beyond an E_RMS that nobody sees.
constexpr double needed = 0.01, unseen = 0.05;

/// The parents after `gone` became part of its parent or child `kept`, which what hung on it hangs on now.
std::vector<std::size_t> parents_after(const Tree& tree, std::size_t gone, std::size_t kept) {
  std::vector<std::size_t> parents = tree.parents;
  const std::size_t above = parents[gone];
  std::ranges::replace(parents, gone, kept);
  if (above != kept) parents[kept] = above;
  return parents;
}

/// A bone and the one that takes it in.
struct Merge {
  std::size_t gone = none, kept = none;
};

/// Bone `gone` becomes part of bone `kept`: what followed it follows the other. The sums say exactly what comes of it.
Trial merged(const Trial& base, std::size_t gone, std::size_t kept, const Run& run) {
  Trial trial = base;
  ssdr::Normal& normal = trial.normal;
  const std::size_t count = normal.bones;
  const auto add = [&](std::size_t to, std::size_t from) {
    for (std::size_t q = 0; q < 10; ++q) normal.h[to * 10 + q] += std::exchange(normal.h[from * 10 + q], 0.0);
  };
  for (std::size_t k = 0; k < count; ++k) add(kept * count + k, gone * count + k);
  for (std::size_t k = 0; k < count; ++k) add(k * count + kept, k * count + gone);
  normal.n.middleCols<4>(static_cast<Eigen::Index>(4 * kept)) +=
      normal.n.middleCols<4>(static_cast<Eigen::Index>(4 * gone));
  normal.n.middleCols<4>(static_cast<Eigen::Index>(4 * gone)).setZero();
  // The bone stays as one without weight at the end of everything: what hung on it hangs on the other.
  std::vector<std::size_t> parents = parents_after(base.tree, gone, kept);
  const bool upwards = base.tree.parents[gone] == kept;
  parents[gone] = kept;
  std::vector<Link> links;
  for (std::size_t j = 0; j < count; ++j) {
    if (parents[j] != none) links.push_back({j, parents[j], base.tree.joints[j == kept && !upwards ? gone : j], 0});
  }
  trial.tree = hang_as(parents, links, normal);
  settle_trial(trial, run);
  return trial;
}

/// Pairs of neighbours in the tree whose merging costs least, cheapest first, at most `most` and none with a bone of
/// another; the heavier one takes the other in. None where there are only roots.
std::vector<Merge> cheapest_merges(const ssdr::Problem& problem, const Jointed& jointed, std::size_t most,
                                   const Run& run) {
  Run alone = run;
  alone.threads = 1;
  const Trial base = make_trial(problem, jointed);
  const std::size_t count = jointed.tree.bones();
  std::vector<std::pair<double, Merge>> all(count);
  parallel_for(run, count, 1, [&](std::size_t j, std::size_t) {
    const std::size_t parent = jointed.tree.parents[j];
    if (parent == none) return;
    const bool heavier = mass(jointed.normal, j) > mass(jointed.normal, parent);
    const Merge merge = heavier ? Merge{parent, j} : Merge{j, parent};
    all[j] = {merged(base, merge.gone, merge.kept, alone).energy, merge};
  });
  std::erase_if(all, [](const auto& one) { return one.second.gone == none; });
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  std::vector<Merge> chosen;
  std::vector<bool> taken(count, false);
  for (const auto& [energy, merge] : all) {
    if (chosen.size() == most || taken[merge.gone] || taken[merge.kept]) continue;
    taken[merge.gone] = taken[merge.kept] = true;
    chosen.push_back(merge);
  }
  return chosen;
}

/// Bones on the way out: parents and joints by a numbering that closes up behind each. Joints that have to be solved
/// again are not known.
struct Remains {
  std::vector<std::size_t> parents;
  std::vector<std::optional<Eigen::Vector3d>> joints;

  void merge(Merge merge, Tree tree) {
    tree.parents = parents;
    for (std::size_t j = 0; j < parents.size(); ++j) {
      if (parents[j] == merge.gone || j == merge.kept) joints[j].reset();
    }
    parents = parents_after(tree, merge.gone, merge.kept);
    parents.erase(parents.begin() + static_cast<std::ptrdiff_t>(merge.gone));
    joints.erase(joints.begin() + static_cast<std::ptrdiff_t>(merge.gone));
    for (std::size_t& parent : parents) {
      if (parent != none && parent > merge.gone) --parent;
    }
  }
};

/// Takes bones out; their vertices look for others.
void merge_bones(const ssdr::Problem& problem, std::vector<Merge> merges, Jointed& jointed, const Run& run) {
  Remains remains{jointed.tree.parents, {jointed.tree.joints.begin(), jointed.tree.joints.end()}};
  ssdr::State state = as_state(problem, jointed);
  // From the last one down, so that what goes next keeps its number.
  std::ranges::sort(merges, std::greater{}, &Merge::gone);
  for (std::size_t k = 0; k < merges.size(); ++k) {
    remains.merge(merges[k], jointed.tree);
    ssdr::remove_bone(state, merges[k].gone);
    for (std::size_t later = k + 1; later < merges.size(); ++later) {
      if (merges[later].kept > merges[k].gone) --merges[later].kept;
    }
  }
  const std::size_t count = remains.parents.size();
  jointed.bones = std::move(state.bones);
  jointed.weights = std::move(state.weights);
  ssdr::solve_weights(problem.space, problem.points, problem.points.rest, jointed.bones, problem.smoothness,
                      ssdr::Choice::all_bones, jointed.weights, run);
  jointed.normal = ssdr::accumulate(problem.space, problem.points, problem.points.rest, jointed.weights, count, run);
  std::vector<Link> links;
  for (std::size_t j = 0; j < count; ++j) {
    const std::size_t parent = remains.parents[j];
    if (parent == none) continue;
    links.push_back(remains.joints[j] ? Link{j, parent, *remains.joints[j], 0}
                                      : find_link(jointed.bones, jointed.normal, j, parent, Pull::overlap, run));
  }
  jointed.tree = hang_as(remains.parents, links, jointed.normal);
  solve_hard_motion(jointed.tree, jointed.normal, 4, jointed.bones, run);
  anchor(problem, jointed, run);
  measure(problem, jointed, run);
}

}  // namespace

void prune(const ssdr::Problem& problem, Jointed& jointed, const Run& run) {
  const auto e_rms = [&](const Jointed& one) {
    return ssdr::e_rms(one.data, problem.points.count, problem.space.frames);
  };
  while (jointed.tree.bones() > 1) {
    Jointed fewer = jointed;
    prune_to(problem, jointed.tree.bones() - 1, fewer, run);
    if (fewer.tree.bones() == jointed.tree.bones()) return;
    if (e_rms(fewer) > (1 + needed) * e_rms(jointed) + unseen) return;
    jointed = std::move(fewer);
  }
}

void prune_to(const ssdr::Problem& problem, std::size_t count, Jointed& jointed, const Run& run) {
  const std::size_t most = jointed.tree.bones();
  std::vector<double> unused;
  while (jointed.tree.bones() > count) {
    // Many at once while many are left.
    const std::size_t most_now = (jointed.tree.bones() - count + 2) / 3;
    const std::vector<Merge> merges = cheapest_merges(problem, jointed, most_now, run);
    if (merges.empty()) return;
    merge_bones(problem, merges, jointed, run);
    settle_hard(problem, jointed, steps_after_merge, 0, unused, run);
    run.report({.stage = "taking bones out",
                .fraction = static_cast<double>(most - jointed.tree.bones()) / static_cast<double>(most - count),
                .error = ssdr::e_rms(jointed.data, problem.points.count, problem.space.frames)});
  }
}

}  // namespace marrow::skeletal
