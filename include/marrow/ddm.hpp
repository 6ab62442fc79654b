#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "marrow/ddm_rig.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// How far Direct Delta Mush smooths.
enum class DdmSmoothing {
  distance,  ///< as far as the vertex is from its bone: the same on coarse and fine meshes
  uniform,   ///< by the same lambda and kappa everywhere, as the 2019 paper does; depends on the mesh's fineness
};

/// Per-vertex factors from 0 to 1 on what the options say, such as a painter puts into vertex colours; each list is
/// empty (1 everywhere) or has one entry per vertex.
struct DdmMaps {
  std::vector<float> rotation;     ///< on rotation_reach or lambda
  std::vector<float> translation;  ///< on translation_reach or kappa
  std::vector<float> blending;     ///< on alpha
};

struct DdmOptions {
  bool rigid_bind = true;  ///< first let each vertex follow only the bone with its largest weight
  DdmSmoothing smoothing = DdmSmoothing::distance;
  /// With `distance`: standard deviation of the smoothing, in distances from the vertex to its bone. 0: none.
  double rotation_reach = 0.5;
  double translation_reach = 0.25;
  /// With `uniform`: strength of one step, in parts of the Laplacian's diagonal. 0: none.
  double lambda = 3;
  double kappa = 1;
  double alpha = 0.4;  ///< 0: skin slides, as in Delta Mush; towards 1: it stays with its bones. 0 to 0.999
  int steps = 4;       ///< implicit smoothing steps, 1 to 100
  DdmMaps maps{};
  /// Multi-weights are given to the vertex's strongest bone as long as together they move no vertex by more than this
  /// share of the size, to first order, while bones turn about their joints. 0: only what smoothing leaves below 1e-6
  /// is dropped.
  double prune = 1e-3;
};

/// Computes the multi-weights of a rig (docs/results/ddm.md has the equations). Vertices at the same place with nearly
/// the same weights are smoothed as one, with the first one's entries of the maps. Throws Error{bad_request} for
/// options out of range, Error{bad_input} for a rig without vertices or bones.
Result<DdmRig> make_ddm(const Rig& rig, const DdmOptions& options = {}, const Run& run = {});

/// Delta Mush itself (Mancewicz et al. 2014), the slow reference: skins each pose, smooths it by `steps` solves as
/// make_ddm() smooths, and adds what smoothing the rest pose took away, turned by how the smooth surface turned around
/// each vertex. Uses rigid_bind, the smoothing of rotations and its map; alpha, kappa and prune have no meaning here.
class DeltaMush {
 public:
  explicit DeltaMush(const Rig& rig, const DdmOptions& options = {}, const Run& run = {});
  ~DeltaMush();
  DeltaMush(DeltaMush&&) noexcept;
  DeltaMush& operator=(DeltaMush&&) noexcept;

  void deform(std::span<const Affine> pose, std::span<Vec3> positions) const;
  /// Every frame of the rig's motion.
  Sequence bake(const Run& run = {}) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace marrow
