#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lbs/matrices.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow::lbs {

/// The frames' own coordinates: centred, scaled by the rest pose's smallest ball, and reduced to an orthonormal basis
/// of what the frames span (FSD section 3). All solver quantities live here.
struct Space {
  std::size_t frames = 0;
  double radius = 1;
  Eigen::Vector3d rest_centre = Eigen::Vector3d::Zero();
  RowMatrix frame_centres;  ///< frames x 3
  RowMatrix basis;          ///< 3 frames x rank, orthonormal columns by falling variance
  RowMatrix transposed;     ///< the same, rank x 3 frames
  Eigen::VectorXd dropped;  ///< [q]: E_RMS of what is lost when only the first q columns are used; rank + 1 entries
  double noise = 0;         ///< variance of the noise in every coordinate, where that is known

  /// What every bone of a vertex must take off its squared error: more than a bone that moves at random would take off
  /// the noise.
  double per_influence() const { return 3 * noise; }
  double lost() const { return dropped[dropped.size() - 1]; }
  double lost(std::size_t rank) const { return dropped[std::min(Eigen::Index(rank), dropped.size() - 1)]; }
  /// The fewest columns that lose at most this.
  std::size_t rank_for(double e_rms) const;
  /// With only those.
  Space within(double e_rms) const;
};

/// `tolerance`: E_RMS that the reduced coordinates may lose.
Space make_space(const Sequence& sequence, double tolerance, const Run& run);

/// E_RMS of a sum of squared residuals.
inline double e_rms(double squared_error, std::size_t vertices, std::size_t frames) {
  return 1000 * std::sqrt(std::max(0.0, squared_error) / (3.0 * double(vertices * frames)));
}

}  // namespace marrow::lbs
