#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ddm_compression/examples.hpp"

namespace marrow::ddm_compression {

struct Influence {
  std::uint32_t bone = 0;
  double weight = 0;
};

/// Variables of the fit: both layers.
struct Fit {
  std::size_t most = 4;  ///< most influences per point
  std::vector<VirtualBone> bones;
  Matrix transforms;                  ///< T_k, four columns per virtual bone
  std::vector<Influence> influences;  ///< #points x most
  std::vector<std::uint32_t> counts;  ///< #points, number of influences used
  std::vector<double> errors;         ///< #points, |sum_k a_ki T_k u_i - v_i|^2

  std::size_t bone_count() const { return bones.size(); }
  std::span<const Influence> row(std::size_t i) const { return {influences.data() + i * most, counts[i]}; }
  auto transform(std::size_t k) { return transforms.middleCols<4>(4 * to_index(k)); }
  auto transform(std::size_t k) const { return transforms.middleCols<4>(4 * to_index(k)); }
};

/// Recomputes all T_k.
void update_transforms(const Examples& examples, Fit& fit, const Run& run);

/// Mean of the points' errors, weighted by mass.
double mean_error(const DistinctPoints& points, const Fit& fit);

/// Sums over points, weighted by `mass`, that couple the virtual bones.
struct Coupling {
  Matrix moments;                                      ///< 4P x 4P: Phi_lk = sum_i mass a_li a_ki u_i u_i^T
  std::vector<std::vector<std::uint32_t>> neighbours;  ///< per bone, those it shares points with, including itself
  std::vector<std::vector<std::uint32_t>> colours;     ///< bones of one colour share no points
  Matrix targets;                                      ///< rows x 4P: sum_i mass a_ki v_i u_i^T
};
Coupling couple(const DistinctPoints& points, const Examples& examples, const Fit& fit, std::span<const double> mass,
                const Run& run);

/// sum_i mass a_ki r_i u_i^T with the residual r_i = v_i - sum_k a_ki T_k u_i.
Matrix missing(const Coupling& coupling, const Fit& fit, std::size_t bone);

/// Decrease of the sum of errors if T_k changes by `change`; exact.
double gain(const Matrix4& moments, const Matrix& missing, const Matrix& change);

}  // namespace marrow::ddm_compression
