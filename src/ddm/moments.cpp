// Le & Lewis 2019: smoothed second moments Psi_ij = sum_k B_ik w_kj u_k u_k^T and smoothed weights w'_ij, bone by bone.
// Differs: solves only where weights are above 1e-6, and stores moments about the point to avoid cancellation.
#include "ddm/moments.hpp"

#include <algorithm>
#include <mutex>

#include "core/parallel.hpp"
#include "ddm/reach.hpp"

namespace marrow::ddm {
namespace {

using Values10 = LocalSmoother<10>::Values;
using Values1 = LocalSmoother<1>::Values;

/// Buffers of the size of the mesh, reused from bone to bone.
struct Workspace {
  Workspace(const Smoother& rotation, const Smoother& translation)
      : moments(rotation, least_weight), weights(translation, least_weight) {}
  LocalSmoother<10> moments;
  LocalSmoother<1> weights;
};

class Workspaces {
 public:
  Workspaces(const Smoother& rotation, const Smoother& translation) : rotation_(rotation), translation_(translation) {}

  std::unique_ptr<Workspace> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Workspace> out = std::move(free_.back());
        free_.pop_back();
        return out;
      }
    }
    return std::make_unique<Workspace>(rotation_, translation_);
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  const Smoother& rotation_;
  const Smoother& translation_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

/// Upper triangle of w u u^T, u homogeneous.
Values10 outer(const Point& u, double w) {
  Values10 out;
  out << u[0] * u[0], u[0] * u[1], u[0] * u[2], u[0], u[1] * u[1], u[1] * u[2], u[1], u[2] * u[2], u[2], 1.0;
  return w * out;
}

/// The moments about `origin` instead of 0.
std::array<double, 10> about(const Values10& m, const Point& origin) {
  const Point first = Point(m[3], m[6], m[8]) - m[9] * origin;
  const auto second = [&](double value, int a, int b) {
    // E[(x - o)(y - o)] from E[x y]; `first` is about o already.
    return value - origin[a] * (first[b] + m[9] * origin[b]) - first[a] * origin[b];
  };
  return {second(m[0], 0, 0), second(m[1], 0, 1), second(m[2], 0, 2), first[0], second(m[4], 1, 1),
          second(m[5], 1, 2), first[1],           second(m[7], 2, 2), first[2], m[9]};
}

/// Entries of one bone, sorted by point.
struct BoneResult {
  std::vector<std::uint32_t> points;
  std::vector<Moments::Entry> entries;
};

BoneResult smooth_bone(const WeldedSurface& surface, const std::vector<BoneRows::Entry>& row, std::uint32_t bone,
                       int steps, Workspace& work) {
  for (const auto& [point, weight] : row) {
    work.moments.add(point, outer(surface.points[point], weight));
    work.weights.add(point, Values1(weight));
  }
  for (int s = 0; s < steps; ++s) {
    work.moments.step();
    work.weights.step();
  }
  std::vector<std::pair<std::uint32_t, Moments::Entry>> found;
  work.moments.for_each([&](std::uint32_t point, const Values10& values) {
    found.push_back({point, {bone, about(values, surface.points[point]), 0}});
  });
  work.weights.for_each([&](std::uint32_t point, const Values1& values) {
    found.push_back({point, {bone, {}, values[0]}});
  });
  work.moments.clear();
  work.weights.clear();
  // Moments before the weight of the same point.
  std::ranges::sort(found, {}, [](const auto& f) { return std::pair(f.first, f.second.weight > 0); });
  BoneResult result;
  for (const auto& [point, entry] : found) {
    if (!result.points.empty() && result.points.back() == point) {
      result.entries.back().weight = entry.weight;
    } else {
      result.points.push_back(point);
      result.entries.push_back(entry);
    }
  }
  return result;
}

/// From rows by bone to rows by point.
Moments transpose(std::vector<BoneResult>& bones, std::size_t points) {
  Moments out;
  out.offsets.assign(points + 1, 0);
  for (const BoneResult& bone : bones) {
    for (const std::uint32_t i : bone.points) ++out.offsets[i + 1];
  }
  for (std::size_t i = 0; i < points; ++i) out.offsets[i + 1] += out.offsets[i];
  out.entries.resize(out.offsets.back());
  std::vector<std::uint32_t> next(out.offsets.begin(), out.offsets.end() - 1);
  for (BoneResult& bone : bones) {
    for (std::size_t e = 0; e < bone.points.size(); ++e) out.entries[next[bone.points[e]]++] = bone.entries[e];
    bone = {};
  }
  return out;
}

}  // namespace

BoneRows bind(const Rig& rig, const WeldedSurface& surface, bool rigid) {
  BoneRows out;
  out.rows.resize(rig.bones());
  const std::vector<std::uint32_t> main = main_bones(rig, surface);
  for (std::uint32_t i = 0; i < surface.count(); ++i) {
    if (rigid) {
      out.rows[main[i]].push_back({i, 1});
      continue;
    }
    const auto bones = rig.weights.row_bones(surface.vertex_of[i]);
    const auto values = rig.weights.row_values(surface.vertex_of[i]);
    for (std::size_t j = 0; j < bones.size(); ++j) out.rows[bones[j]].push_back({i, values[j]});
  }
  return out;
}

Moments smooth_moments(const WeldedSurface& surface, const BoneRows& bound, const Smoother& rotation,
                       const Smoother& translation, int steps, const Run& run) {
  std::vector<BoneResult> results(bound.rows.size());
  Workspaces workspaces(rotation, translation);
  parallel_for(run, "smoothing", bound.rows.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::unique_ptr<Workspace> work = workspaces.take();
    for (std::size_t j = begin; j < end; ++j) {
      if (bound.rows[j].empty()) continue;
      results[j] = smooth_bone(surface, bound.rows[j], std::uint32_t(j), steps, *work);
    }
    workspaces.give_back(std::move(work));
  });
  return transpose(results, surface.count());
}

}  // namespace marrow::ddm
