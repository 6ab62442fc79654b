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

/// The smallest ball that holds every point, exact up to rounding. No points: radius 0.
Ball smallest_enclosing_ball(std::span<const Vec3> points);

/// Diagonal of the bounding box, the "size" that percentages refer to.
double size_of(std::span<const Vec3> points);

/// Distances between what is and what should be, in model units.
struct ErrorStats {
  double rms = 0;
  double max = 0;
  double p99 = 0;
  double p95 = 0;
  double q75 = 0;
  double median = 0;
  double q25 = 0;
};

/// How far an approximation is from the original.
struct Metrics {
  std::size_t vertices = 0;
  std::size_t frames = 0;
  double size = 0;         ///< bounding-box diagonal of the given rest pose, model units
  double ball_radius = 0;  ///< smallest ball around the given rest pose, model units
  double e_rms = 0;        ///< 1000 sqrt(sum |e|^2 / (3 vertices frames)) / ball_radius, as SSDR and FSD print it
  double distortion = 0;   ///< % of Karni and Gotsman: 100 |A - A'| / |A - time average of A|; 0 / 0 is 0
  ErrorStats error;        ///< over all vertices of all frames
  double normal_rms = 0;   ///< angle between the vertex normals of both, degrees
  double normal_max = 0;
  double fairness = 0;  ///< RMS over vertices and frames of |L(v' - v)|, L the umbrella Laplacian, model units

  std::vector<ErrorStats> per_frame;   ///< #frames
  std::vector<double> per_vertex_rms;  ///< #vertices, over the frames
  std::vector<double> per_vertex_max;  ///< #vertices
  std::size_t worst_frame = 0;         ///< where the largest distance is
  std::uint32_t worst_vertex = 0;

  double percent(double model_units) const { return size > 0 ? 100 * model_units / size : 0; }
};

/// The only judge. `original.mesh.positions` is the given rest pose that sets the scale. Both must have the same
/// vertices and frames; otherwise Error{bad_input} says what differs.
Metrics compare(const Sequence& original, const Sequence& approximation, const Run& run = {});
/// The rig plays its own motion, frame by frame.
Metrics compare(const Sequence& original, const Rig& rig, const Run& run = {});
Metrics compare(const Sequence& original, const DdmRig& rig, const Run& run = {});
Metrics compare(const Sequence& original, const TwoLayerRig& rig, const Run& run = {});
Metrics compare(const Sequence& original, const CompressedDdm& rig, const Run& run = {});
Metrics compare(const Sequence& original, const Model& model, const Run& run = {});

/// |v' - v| of one frame, one per vertex, in model units.
std::vector<float> vertex_errors(std::span<const Vec3> original, std::span<const Vec3> approximation);

/// What storing it takes, in bytes, with floats and 16-bit bone indices (8-bit up to 256 bones).
struct Bytes {
  std::size_t raw_frames = 0;     ///< every position of every frame
  std::size_t morph_targets = 0;  ///< rest pose + one target per frame + every target's weight in every frame
  std::size_t rig = 0;            ///< rest pose + weights + motion (7 floats per rigid bone and frame, 12 otherwise)
};
Bytes storage(const Rig& rig);

/// The metrics as a JSON object, indented; without the per-vertex lists unless asked for.
std::string to_json(const Metrics& metrics, bool per_vertex = false);

}  // namespace marrow
