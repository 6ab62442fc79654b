// Decompositions and skeletons of generated bodies against the rigs that made them, at the sizes that are too slow for
// a test (Decompose.KnownAnswersAreRecovered, Skeleton.FindsTheTreeAndTheJointsOfSyntheticBodies have the small ones).
// Exit code 1 where a bound is broken.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "marrow/decompose.hpp"
#include "marrow/deform.hpp"
#include "marrow/metrics.hpp"
#include "marrow/skeleton.hpp"
#include "marrow/synthetic.hpp"
#include "metrics/tree_difference.hpp"

namespace {

using marrow::Effort;
using marrow::Rig;
using marrow::Sequence;
using marrow::synthetic::Options;
using Body = Rig (*)(const Options&);

struct Case {
  const char* name;
  Body body;
  Options options;
  Effort effort = Effort::normal;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Rig shells(const Options& options) {
  return marrow::synthetic::shells(options);
}

bool decompositions() {
  bool good = true;
  fmt::print("body,vertices,frames,e_rms,largest_difference_of_a_weight,seconds\n");
  const Options options{.vertices = 700, .frames = 40};
  for (const Case& c : {Case{"bar", marrow::synthetic::bar, options}, Case{"arm", marrow::synthetic::arm, options},
                        Case{"shells", shells, options}, Case{"quadruped", marrow::synthetic::quadruped, options}}) {
    const Rig truth = c.body(c.options);
    const Sequence sequence = marrow::bake(truth);
    const auto start = std::chrono::steady_clock::now();
    const Rig found = marrow::decompose(sequence, {.bones = truth.bones(), .smooth = 0, .effort = Effort::best}).value;
    const double seconds = seconds_since(start), error = marrow::compare(sequence, found).e_rms,
                 difference = marrow::weight_difference(truth, found);
    fmt::print("{},{},{},{:.5f},{:.5f},{:.1f}\n", c.name, truth.vertices(), truth.frames(), error, difference, seconds);
    std::fflush(stdout);
    good = good && error <= 0.01 && difference < 0.02;
  }
  return good;
}

bool skeletons() {
  bool good = true;
  fmt::print("\nbody,vertices,frames,noise_percent,links_missing,worst_joint_percent,seconds\n");
  const Options small{.vertices = 400, .frames = 15}, clean{.vertices = 1000, .frames = 30},
      noisy{.vertices = 1200, .frames = 30, .noise = 0.002}, walk{.vertices = 1200, .frames = 30, .noise = 0.0015},
      noisy_walk{.vertices = 1500, .frames = 45, .noise = 0.002, .seed = 3};
  for (const Case& c :
       {Case{"arm", marrow::synthetic::arm, small, Effort::best}, Case{"arm", marrow::synthetic::arm, noisy},
        Case{"quadruped", marrow::synthetic::quadruped, clean}, Case{"poses", marrow::synthetic::poses, noisy},
        Case{"quadruped", marrow::synthetic::quadruped, walk},
        Case{"quadruped", marrow::synthetic::quadruped, noisy_walk}}) {
    const Rig truth = c.body(c.options);
    const Sequence sequence = marrow::synthetic::observe(truth, c.options);
    const auto start = std::chrono::steady_clock::now();
    const Rig found = marrow::extract_skeleton(sequence, {.bones = truth.bones(), .effort = c.effort}).value;
    const double seconds = seconds_since(start);
    const marrow::TreeDifference difference = marrow::tree_difference(truth, found);
    fmt::print("{},{},{},{},{},{:.3f},{:.1f}\n", c.name, truth.vertices(), truth.frames(), 100 * c.options.noise,
               difference.missing.size(), 100 * difference.worst, seconds);
    std::fflush(stdout);
    good = good && difference.missing.empty() && difference.joints == truth.bones() - 1 && difference.worst < 0.01;
  }
  return good;
}

}  // namespace

int main() {
  const bool decomposed = decompositions();
  return skeletons() && decomposed ? 0 : 1;
}
