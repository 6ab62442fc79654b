#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "marrow/ddm_rig.hpp"
#include "marrow/enum_names.hpp"
#include "marrow/options.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// How the strength of smoothing is set.
enum class DdmSmoothing {
  distance,  ///< by the distance of a vertex to its bone: does not depend on the resolution of the mesh
  uniform,   ///< lambda and kappa for all vertices (Le & Lewis 2019): depends on the resolution
};

const EnumNames<DdmSmoothing>& ddm_smoothing_names();

/// Factors per vertex, 0 to 1 (as painted in vertex colours). A list is empty (1 everywhere) or has one entry per
/// vertex.
struct DdmMaps {
  std::vector<float> rotation;     ///< of rotation_reach or lambda
  std::vector<float> translation;  ///< of translation_reach or kappa
  std::vector<float> blending;     ///< of alpha
};

struct DdmOptions {
  bool rigid_bind = true;  ///< first reduce the weights of each vertex to its largest, set to 1
  DdmSmoothing smoothing = DdmSmoothing::distance;
  /// `distance`: standard deviation of the smoothing, as a multiple of the vertex's distance to its bone. 0 to 100; 0:
  /// none.
  double rotation_reach = 0.5;
  double translation_reach = 0.25;
  /// `uniform`: strength of one step, relative to the Laplacian's diagonal. 0 to 1e6; 0: none.
  double lambda = 3;
  double kappa = 1;
  double alpha = 0.4;  ///< 0 to 0.999. 0: skin slides, as in Delta Mush; towards 1: it stays with its bones
  int steps = 4;       ///< implicit smoothing steps, 1 to 100
  DdmMaps maps{};
  /// Multi-weights are merged into the vertex's strongest bone while their displacement is at most this share of the
  /// size in total (to first order, for any rotations about the joints). 0 to 1; 0 drops only weights that smoothing
  /// leaves below 1e-6.
  double prune = 1e-3;
};
/// Its fields for flags, JSON, reports and documentation.
std::vector<Option> option_table(DdmOptions& options);

/// Computes the multi-weights of a rig; equations in docs/results/ddm.md. Vertices at the same place with nearly the
/// same weights are smoothed as one, with the map entries of the first. Throws Error{bad_request} for options out of
/// range, Error{bad_input} for a rig without vertices, bones or size.
Result<DdmRig> make_ddm(const Rig& rig, const DdmOptions& options = {}, const Run& run = {});

/// Delta Mush (Mancewicz et al. 2014), the slow reference. Skins and smooths each pose (`steps` implicit steps, as
/// make_ddm()), and adds the detail of the rest pose, rotated with the smoothed surface around each vertex. Uses
/// rigid_bind, steps, and the smoothing of rotations with its map; ignores alpha, kappa and prune.
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
