#include "decompose/to_rig.hpp"

#include <algorithm>

#include "core/eigen_affine.hpp"

namespace marrow::ssdr {
namespace {

/// Smaller weights are dropped: they change nothing that can be seen and cost as much as large ones.
constexpr double least_weight = 1e-4;

/// Vertices that follow each bone by more than least_weight.
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
  return static_cast<std::size_t>(std::max_element(values, values + w.used[i]) - values);
}

}  // namespace

void drop_small(const Points& points, SlotWeights& weights) {
  drop_small(points.count, least_weight, weights);
}

void drop_small(std::size_t vertices, double least, SlotWeights& w) {
  for (std::size_t i = 0; i < vertices; ++i) {
    std::uint32_t* bones = w.bones.data() + i * w.influences;
    double* values = w.values.data() + i * w.influences;
    std::uint32_t left = 0;
    double sum = 0;
    for (std::uint32_t a = 0; a < w.used[i]; ++a) {
      if (values[a] < least) continue;
      bones[left] = bones[a];
      sum += values[left++] = values[a];
    }
    w.used[i] = left;
    for (std::uint32_t a = 0; a < left; ++a) values[a] /= sum;
  }
}

std::size_t employ_idle_bones(const Points& points, State& state) {
  SlotWeights& w = state.weights;
  const std::size_t bones = bone_count(state.bones);
  std::vector<std::size_t> count = followers(points, w, bones);
  std::size_t idle = 0;
  for (std::uint32_t j = 0; j < bones; ++j) {
    if (count[j] > 0) continue;
    ++idle;
    // A vertex with a free place splits its strongest bone; without one, it changes over whole, if the bone has others.
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
    state.bones.middleCols<4>(4 * static_cast<Eigen::Index>(j)) =
        state.bones.middleCols<4>(4 * static_cast<Eigen::Index>(source)).eval();
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

SlotWeights to_slots(const Weights& weights, std::size_t blocks) {
  SlotWeights slots;
  slots.resize(blocks, weights.max_influences());
  for (std::size_t i = 0; i < weights.vertices(); ++i) {
    const auto bones = weights.row_bones(i);
    const auto values = weights.row_values(i);
    slots.used[i] = static_cast<std::uint32_t>(bones.size());
    double sum = 0;
    for (const float value : values) sum += value;
    for (std::size_t a = 0; a < bones.size(); ++a) {
      slots.bones[i * slots.influences + a] = bones[a];
      slots.values[i * slots.influences + a] = values[a] / sum;
    }
  }
  return slots;
}

Weights to_weights(const SlotWeights& w, std::size_t vertices) {
  Weights weights;
  weights.offsets.push_back(0);
  std::vector<std::pair<std::uint32_t, float>> row;
  for (std::size_t i = 0; i < vertices; ++i) {
    row.clear();
    for (std::size_t a = 0; a < w.used[i]; ++a) {
      row.emplace_back(w.bones[i * w.influences + a], static_cast<float>(w.values[i * w.influences + a]));
    }
    std::ranges::sort(row);
    for (const auto& [bone, value] : row) {
      weights.bones.push_back(bone);
      weights.values.push_back(value);
    }
    weights.offsets.push_back(static_cast<std::uint32_t>(weights.bones.size()));
  }
  return weights;
}

Rig to_rig(const Sequence& sequence, const Space& space, const std::vector<double>& given, const State& state) {
  const std::size_t bones = bone_count(state.bones), n = sequence.vertices();
  Rig rig{sequence.mesh, {}, to_weights(state.weights, n), to_motion(space, sequence.timeline, state.bones)};
  for (std::size_t i = 0; i < n; ++i) {
    if (rest_of(state.rest, i) == rest_of(given, i)) continue;
    const Eigen::Vector3d p = space.radius * rest_of(state.rest, i) + space.rest_centre;
    rig.mesh.positions[i] = {static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())};
  }
  rig.skeleton = centroid_skeleton(rig.mesh, rig.weights, bones);
  for (std::size_t j = 0; j < bones; ++j) {
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        rig.skeleton.bind[j](r, c) = state.axes[j](static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
      }
    }
  }
  return rig;
}

std::vector<Eigen::Matrix3d> bind_axes(const Skeleton& skeleton) {
  std::vector<Eigen::Matrix3d> axes;
  for (const Affine& bind : skeleton.bind) {
    axes.push_back(nearest_rotation(linear_part(bind), Eigen::Matrix3d::Identity()));
  }
  return axes;
}

Bones to_bones(const Space& space, const Motion& motion) {
  Bones bones(static_cast<Eigen::Index>(3 * motion.frames()), static_cast<Eigen::Index>(4 * motion.bones));
  for (std::size_t t = 0; t < motion.frames(); ++t) {
    const Eigen::Vector3d centre = space.frame_centres.row(static_cast<Eigen::Index>(t));
    for (std::size_t j = 0; j < motion.bones; ++j) {
      const Affine& from = motion.frame(t)[j];
      Matrix34 m;
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 4; ++c) m(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = from(r, c);
      }
      m.col(3) = ((m.col(3) - centre + m.leftCols<3>() * space.rest_centre) / space.radius).eval();
      bones.block<3, 4>(static_cast<Eigen::Index>(3 * t), static_cast<Eigen::Index>(4 * j)) = m;
    }
  }
  return bones;
}

Motion to_motion(const Space& space, const Timeline& timeline, const Bones& bones) {
  Motion motion{timeline, bone_count(bones), std::vector<Affine>(bone_count(bones) * timeline.frames())};
  for (std::size_t t = 0; t < timeline.frames(); ++t) {
    const Eigen::Vector3d centre = space.frame_centres.row(static_cast<Eigen::Index>(t));
    for (std::size_t j = 0; j < motion.bones; ++j) {
      const auto m = bones.block<3, 4>(static_cast<Eigen::Index>(3 * t), static_cast<Eigen::Index>(4 * j));
      const Eigen::Matrix3d linear = m.leftCols<3>();
      const Eigen::Vector3d shift = space.radius * m.col(3) + centre - linear * space.rest_centre;
      Affine& out = motion.frame(t)[j];
      for (std::size_t r = 0; r < 3; ++r) {
        const auto k = static_cast<Eigen::Index>(r);
        for (std::size_t c = 0; c < 3; ++c) out(r, c) = linear(k, static_cast<Eigen::Index>(c));
        out(r, 3) = shift[k];
      }
    }
  }
  return motion;
}

}  // namespace marrow::ssdr
