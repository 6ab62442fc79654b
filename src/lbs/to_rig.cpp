#include "lbs/to_rig.hpp"

#include <algorithm>

#include "lbs/bones.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"

namespace marrow::lbs {
namespace {

/// Smaller weights are dropped: they are invisible, and cost as much storage as large ones.
constexpr double least_weight = 1e-4;

/// Number of vertices per bone with at least least_weight.
std::vector<std::size_t> followers(const Points& points, const SlotWeights& w, std::size_t bones) {
  std::vector<std::size_t> count(bones, 0);
  for (std::size_t i = 0; i < points.count; ++i) {
    for (std::size_t a = 0; a < w.used[i]; ++a) {
      if (w.values[i * w.influences + a] >= least_weight) ++count[w.bones[i * w.influences + a]];
    }
  }
  return count;
}

std::size_t strongest_slot(const SlotWeights& w, std::size_t i) {
  const double* values = w.values.data() + i * w.influences;
  return std::size_t(std::max_element(values, values + w.used[i]) - values);
}

}  // namespace

void drop_small(const Points& points, SlotWeights& weights) {
  drop_small(points.count, least_weight, weights);
}

std::size_t employ_idle_bones(const Points& points, State& state) {
  SlotWeights& w = state.weights;
  const std::size_t bones = bone_count(state.bones);
  std::vector<std::size_t> count = followers(points, w, bones);
  std::size_t idle = 0;
  for (std::uint32_t j = 0; j < bones; ++j) {
    if (count[j] > 0) continue;
    ++idle;
    // A vertex with a free slot splits its strongest weight; without one, it changes to the idle bone, if its own bone
    // has other vertices.
    std::size_t donor = points.count;
    for (std::size_t i = 0; i < points.count && donor == points.count; ++i) {
      const std::uint32_t bone = w.bones[i * w.influences + strongest_slot(w, i)];
      const bool has_place = w.used[i] < w.influences && w.values[i * w.influences + strongest_slot(w, i)] > 0.5;
      if (has_place || (count[bone] > 1 && w.used[i] == 1)) donor = i;
    }
    for (std::size_t i = 0; i < points.count && donor == points.count; ++i) {
      if (count[w.bones[i * w.influences + strongest_slot(w, i)]] > 1) donor = i;
    }
    const std::size_t slot = donor * w.influences + strongest_slot(w, donor);
    const std::uint32_t source = w.bones[slot];
    state.bones.middleCols<4>(4 * Eigen::Index(j)) = state.bones.middleCols<4>(4 * Eigen::Index(source)).eval();
    if (w.used[donor] < w.influences) {
      const std::size_t free = donor * w.influences + w.used[donor]++;
      w.bones[free] = j;
      w.values[free] = w.values[slot] *= 0.5;
    } else {
      w.bones[slot] = j;
      --count[source];
    }
    count[j] = 1;
  }
  return idle;
}

Rig to_rig(const Sequence& sequence, const Space& space, const std::vector<double>& given, const State& state) {
  const std::size_t bones = bone_count(state.bones), n = sequence.vertices();
  Rig rig{sequence.mesh, {}, to_weights(state.weights, n), to_motion(space, sequence.timeline, state.bones)};
  for (std::size_t i = 0; i < n; ++i) {
    if (rest_of(state.rest, i) == rest_of(given, i)) continue;
    const Eigen::Vector3d p = space.radius * rest_of(state.rest, i) + space.rest_centre;
    rig.mesh.positions[i] = {float(p.x()), float(p.y()), float(p.z())};
  }
  rig.skeleton = centroid_skeleton(rig.mesh, rig.weights, bones);
  for (std::size_t j = 0; j < bones; ++j) {
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        rig.skeleton.bind[j](r, c) = state.axes[j](Eigen::Index(r), Eigen::Index(c));
      }
    }
  }
  return rig;
}

}  // namespace marrow::lbs
