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

/// Both layers as they are being solved.
struct Fit {
  std::size_t most = 4;  ///< influences per point
  std::vector<VirtualBone> bones;
  Matrix transforms;                  ///< T_k, four columns per virtual bone
  std::vector<Influence> influences;  ///< #points x most
  std::vector<std::uint32_t> counts;  ///< #points, how many of them are used
  std::vector<double> errors;         ///< #points, |sum_k a_ki T_k u_i - v_i|^2

  std::size_t bone_count() const { return bones.size(); }
  std::span<const Influence> row(std::size_t i) const { return {influences.data() + i * most, counts[i]}; }
  auto transform(std::size_t k) { return transforms.middleCols<4>(4 * to_index(k)); }
  auto transform(std::size_t k) const { return transforms.middleCols<4>(4 * to_index(k)); }
};

/// Every T_k anew.
void update_transforms(const Examples& examples, Fit& fit, const Run& run);

/// Mean of the points' errors by mass.
double mean_error(const Points& points, const Fit& fit);

/// Farthest points, then K-means on what the examples tell apart (section 4.1). Every point follows one bone
/// afterwards. May give fewer bones than asked for where points do not differ.
Fit start(const Points& points, const Examples& examples, std::size_t bones, std::size_t influences, const Run& run);

struct InfluenceOptions {
  double smoothness = 0;  ///< weight of |a_i - mean of the neighbours' a|^2, squared parts of the size
  double price = 0;       ///< an influence has to lower the point's error by this
};

/// Convex weights of at most `most` bones per point (section 4.2), each point by itself.
void update_influences(const Points& points, const Examples& examples, const InfluenceOptions& options, Fit& fit,
                       const Run& run);

/// What one virtual bone sees of the others when points count by `mass`.
struct Coupling {
  Matrix moments;                                      ///< 4P x 4P: Phi_lk = sum_i mass a_li a_ki u_i u_i^T
  std::vector<std::vector<std::uint32_t>> neighbours;  ///< per bone, those it shares points with, itself included
  std::vector<std::vector<std::uint32_t>> colours;     ///< bones of one colour share no points
  Matrix targets;                                      ///< rows x 4P: sum_i mass a_ki v_i u_i^T
};
Coupling couple(const Points& points, const Examples& examples, const Fit& fit, std::span<const double> mass,
                const Run& run);

/// sum_i mass a_ki r_i u_i^T, r_i what is missing to the targets.
Matrix missing(const Coupling& coupling, const Fit& fit, std::size_t bone);

/// How much lower the error gets when T_k changes by `change`: sum over points, exact.
double gain(const Matrix4& moments, const Matrix& missing, const Matrix& change);

}  // namespace marrow::ddm_compression
