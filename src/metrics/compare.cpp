#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "deform/frame_skinner.hpp"
#include "marrow/metrics.hpp"
#include "metrics/stats.hpp"
#include "metrics/umbrella.hpp"

namespace marrow {
namespace {

/// Returns the positions of frame t of the approximation, possibly in `room`. Threads call it with a `room` each.
using FrameSource = std::function<std::span<const Vec3>(std::size_t t, std::vector<Vec3>& room)>;

/// Vertices per chunk of the loop over frames.
constexpr std::size_t vertex_grain = 4096;

/// Distances of all vertices, frame after frame.
using DistanceBlock = std::vector<float, UninitializedAllocator<float>>;

/// Contribution of one frame to the figures of the surface.
struct SurfaceSums {
  double angle_squares = 0;  ///< degrees^2
  double angle_max = 0;      ///< degrees
  double umbrella_squares = 0;
};

double ratio(double a, double b) {
  return b > 0 ? a / b : 0;
}

/// Degrees. Uses the tangent, which is accurate at small angles, where the cosine is not.
double angle_between(const Vec3& a, const Vec3& b) {
  const double ax = a.x, ay = a.y, az = a.z, bx = b.x, by = b.y, bz = b.z;
  const double x = ay * bz - az * by, y = az * bx - ax * bz, z = ax * by - ay * bx;
  return std::atan2(std::sqrt(x * x + y * y + z * z), ax * bx + ay * by + az * bz) * (180 / std::numbers::pi);
}

SurfaceSums compare_surfaces(const Mesh& mesh, const Umbrella& umbrella, std::span<const Vec3> original,
                             std::span<const Vec3> approximation) {
  SurfaceSums sums;
  {
    const std::vector<Vec3> a = vertex_normals(mesh, original), b = vertex_normals(mesh, approximation);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double angle = angle_between(a[i], b[i]);
      sums.angle_squares += angle * angle;
      sums.angle_max = std::max(sums.angle_max, angle);
    }
  }
  std::vector<std::array<double, 3>> e(original.size());
  for (std::size_t i = 0; i < e.size(); ++i) {
    const Vec3 &v = original[i], &w = approximation[i];
    e[i] = {double(w.x) - v.x, double(w.y) - v.y, double(w.z) - v.z};
  }
  sums.umbrella_squares = umbrella.squared_norm(e);
  return sums;
}

/// Computes the distances, and all figures that need one frame at a time.
DistanceBlock compare_frames(const Sequence& original, const FrameSource& approximation, const Run& run, Metrics& out) {
  const std::size_t n = original.vertices(), frames = original.frames();
  const Umbrella umbrella(original.mesh);
  DistanceBlock distances(n * frames);
  std::vector<SurfaceSums> surface(frames);
  out.per_frame.resize(frames);
  parallel_for(run, "comparing", frames, 1, [&](std::size_t begin, std::size_t end) {
    std::vector<Vec3> room;
    std::vector<float> sorted(n);
    for (std::size_t t = begin; t < end; ++t) {
      const std::span<const Vec3> a = original.frame(t), b = approximation(t, room);
      std::ranges::transform(a, b, sorted.begin(), distance);
      std::ranges::copy(sorted, distances.begin() + std::ptrdiff_t(t * n));
      out.per_frame[t] = error_stats(sorted);
      if (original.mesh.faces() > 0) surface[t] = compare_surfaces(original.mesh, umbrella, a, b);
    }
  });
  SurfaceSums total;
  for (const SurfaceSums& s : surface) {
    total.angle_squares += s.angle_squares;
    total.angle_max = std::max(total.angle_max, s.angle_max);
    total.umbrella_squares += s.umbrella_squares;
  }
  const auto count = double(n * frames);
  out.normal_rms = std::sqrt(ratio(total.angle_squares, count));
  out.normal_max = total.angle_max;
  out.fairness = std::sqrt(ratio(total.umbrella_squares, count));
  return distances;
}

/// RMS and largest distance per vertex over the frames.
void summarize_vertices(const DistanceBlock& distances, const Run& run, Metrics& out) {
  const std::size_t n = out.vertices, frames = out.frames;
  out.per_vertex_rms.assign(n, 0);
  out.per_vertex_max.assign(n, 0);
  parallel_for(run, n, vertex_grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = 0; t < frames; ++t) {
      for (std::size_t i = begin; i < end; ++i) {
        const double d = distances[t * n + i];
        out.per_vertex_rms[i] += d * d;
        out.per_vertex_max[i] = std::max(out.per_vertex_max[i], d);
      }
    }
    for (std::size_t i = begin; i < end; ++i) {
      out.per_vertex_rms[i] = std::sqrt(ratio(out.per_vertex_rms[i], double(frames)));
    }
  });
}

/// Squared Frobenius norm of A minus its time average (the denominator of the distortion).
double squared_motion(const Sequence& sequence, const Run& run) {
  const std::size_t n = sequence.vertices(), frames = sequence.frames();
  std::vector<double> partial((n + vertex_grain - 1) / vertex_grain);
  parallel_for(run, n, vertex_grain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::array<double, 3>> mean(end - begin, {0, 0, 0});
    const auto each = [&](auto&& visit) {
      for (std::size_t t = 0; t < frames; ++t) {
        const auto positions = sequence.frame(t).subspan(begin, end - begin);
        for (std::size_t i = 0; i < positions.size(); ++i) visit(mean[i], positions[i]);
      }
    };
    each([](std::array<double, 3>& m, const Vec3& p) {
      m[0] += p.x;
      m[1] += p.y;
      m[2] += p.z;
    });
    for (auto& m : mean) {
      for (double& v : m) v /= double(frames);
    }
    double sum = 0;
    each([&](const std::array<double, 3>& m, const Vec3& p) {
      const double x = p.x - m[0], y = p.y - m[1], z = p.z - m[2];
      sum += x * x + y * y + z * z;
    });
    partial[begin / vertex_grain] = sum;
  });
  double total = 0;
  for (const double p : partial) total += p;
  return total;
}

Metrics judge(const Sequence& original, std::size_t vertices, std::size_t frames, const FrameSource& approximation,
              const Run& run) {
  require(original.vertices() == vertices, "compare", [&] {
    return fmt::format("the original has {} vertices, but the approximation {}", original.vertices(), vertices);
  });
  require(original.frames() == frames, "compare", [&] {
    return fmt::format("the original has {} frames, but the approximation {}", original.frames(), frames);
  });
  Metrics out;
  out.vertices = vertices;
  out.frames = frames;
  out.size = size_of(original.mesh.positions);
  out.ball_radius = smallest_enclosing_ball(original.mesh.positions).radius;
  DistanceBlock distances = compare_frames(original, approximation, run, out);
  if (distances.empty()) {
    out.per_vertex_rms.assign(vertices, 0);
    out.per_vertex_max.assign(vertices, 0);
    return out;
  }
  summarize_vertices(distances, run, out);
  const auto worst = std::size_t(std::ranges::max_element(distances) - distances.begin());
  out.worst_frame = worst / vertices;
  out.worst_vertex = std::uint32_t(worst % vertices);
  const double motion = squared_motion(original, run);
  run.check_stop("compare");
  out.error = error_stats(distances);
  // |A - A'|^2 = rms^2 * vertices * frames.
  out.e_rms = ratio(1000 * out.error.rms, std::sqrt(3.0) * out.ball_radius);
  const double still = out.error.rms > 0 ? std::numeric_limits<double>::infinity() : 0;
  out.distortion = motion > 0 ? 100 * out.error.rms * std::sqrt(double(vertices * frames)) / std::sqrt(motion) : still;
  return out;
}

}  // namespace

Metrics compare(const Sequence& original, const Sequence& approximation, const Run& run) {
  validate(original);
  validate(approximation);
  return judge(
      original, approximation.vertices(), approximation.frames(),
      [&](std::size_t t, std::vector<Vec3>&) { return approximation.frame(t); }, run);
}

Metrics compare(const Sequence& original, const Rig& rig, const Run& run) {
  validate(original);
  validate(rig);
  const auto play = [&](std::size_t t, std::vector<Vec3>& room) {
    room.resize(rig.vertices());
    FrameSkinner skinner(rig);
    skinner.set_pose(rig.motion.frame(t));
    skinner.evaluate(room, 0, rig.vertices());
    return std::span<const Vec3>(room);
  };
  return judge(original, rig.vertices(), rig.frames(), play, run);
}

namespace {

/// Compares with the model playing its rig's motion.
template <class Kind>
Metrics judge_model(const Sequence& original, const Kind& model, const Run& run) {
  validate(original);
  validate(model);
  const auto play = [&](std::size_t t, std::vector<Vec3>& room) {
    room.resize(model.rig.vertices());
    deform(model, model.rig.motion.frame(t), room);
    return std::span<const Vec3>(room);
  };
  return judge(original, model.rig.vertices(), model.rig.frames(), play, run);
}

}  // namespace

Metrics compare(const Sequence& original, const DdmRig& ddm, const Run& run) {
  return judge_model(original, ddm, run);
}

Metrics compare(const Sequence& original, const TwoLayerRig& rig, const Run& run) {
  return judge_model(original, rig, run);
}

Metrics compare(const Sequence& original, const CompressedDdm& model, const Run& run) {
  return judge_model(original, model, run);
}

Metrics compare(const Sequence& original, const Model& model, const Run& run) {
  return std::visit([&](const auto& kind) { return compare(original, kind, run); }, model);
}

}  // namespace marrow
