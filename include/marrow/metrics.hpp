#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "marrow/model.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

struct Ball {
  double x = 0, y = 0, z = 0, radius = 0;
};

/// The smallest ball that contains all points, exact up to rounding. No points: radius 0.
Ball smallest_enclosing_ball(std::span<const Vec3> points);

/// Diagonal of the bounding box: the "size" that percentages refer to.
double size_of(std::span<const Vec3> points);

/// Statistics of distances between approximation and original, model units.
struct ErrorStats {
  double rms = 0;
  double max = 0;
  double p99 = 0;
  double p95 = 0;
  double q75 = 0;
  double median = 0;
  double q25 = 0;
};

/// Difference between an approximation and the original.
struct Metrics {
  std::size_t vertices = 0;
  std::size_t frames = 0;
  double size = 0;         ///< bounding-box diagonal of the given rest pose, model units
  double ball_radius = 0;  ///< smallest ball around the given rest pose, model units
  double e_rms = 0;        ///< 1000 sqrt(sum |e|^2 / (3 vertices frames)) / ball_radius, as in SSDR and FSD
  double distortion = 0;   ///< Karni & Gotsman, %: 100 |A - A'| / |A - time average of A|; 0 / 0 is 0, x / 0 infinite
  ErrorStats error;        ///< over all vertices of all frames
  double normal_rms = 0;   ///< angle between vertex normals, degrees
  double normal_max = 0;
  double fairness = 0;  ///< RMS over vertices and frames of |L(v' - v)|, L the umbrella Laplacian, model units

  std::vector<ErrorStats> per_frame;   ///< #frames
  std::vector<double> per_vertex_rms;  ///< #vertices, over the frames
  std::vector<double> per_vertex_max;  ///< #vertices
  std::size_t worst_frame = 0;         ///< frame of the largest distance
  std::uint32_t worst_vertex = 0;

  double percent(double model_units) const { return size > 0 ? 100 * model_units / size : 0; }
};

/// Computes all error figures; no solver grades itself. `original.mesh.positions` is the given rest pose, which sets
/// the scale. Both need the same vertices and frames; otherwise throws Error{bad_input}.
Metrics compare(const Sequence& original, const Sequence& approximation, const Run& run = {});
/// Compares with the rig playing its own motion.
Metrics compare(const Sequence& original, const Rig& rig, const Run& run = {});
Metrics compare(const Sequence& original, const DdmRig& rig, const Run& run = {});
Metrics compare(const Sequence& original, const TwoLayerRig& rig, const Run& run = {});
Metrics compare(const Sequence& original, const CompressedDdm& rig, const Run& run = {});
Metrics compare(const Sequence& original, const Model& model, const Run& run = {});

/// |v' - v| per vertex of one frame, model units.
std::vector<float> vertex_errors(std::span<const Vec3> original, std::span<const Vec3> approximation);

/// Storage in bytes, with 4-byte floats and 16-bit bone indices (8-bit up to 256 bones).
struct Bytes {
  std::size_t raw_frames = 0;     ///< every position of every frame
  std::size_t morph_targets = 0;  ///< rest pose, one target per frame, and every target's weight in every frame
  std::size_t rig = 0;            ///< rest pose, weights, and motion (7 floats per frame of a rigid bone, 12 of others)
};
Bytes storage(const Rig& rig);

/// The metrics as an indented JSON object; `per_vertex` adds the lists per vertex.
std::string to_json(const Metrics& metrics, bool per_vertex = false);

}  // namespace marrow
