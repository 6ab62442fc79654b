#pragma once

#include <array>
#include <cstddef>

namespace marrow {

struct Vec2 {
  float x, y;
  bool operator==(const Vec2&) const = default;
};

/// A point or direction in model units.
struct Vec3 {
  float x, y, z;
  bool operator==(const Vec3&) const = default;
};

/// A 3x4 matrix, row-major: [ linear part 3x3 | translation ]. Maps column vectors, p' = L p + t.
struct Affine {
  std::array<double, 12> m{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

  double& operator()(std::size_t row, std::size_t column) { return m[4 * row + column]; }
  double operator()(std::size_t row, std::size_t column) const { return m[4 * row + column]; }
  bool operator==(const Affine&) const = default;

  static Affine translation(double x, double y, double z) { return {{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}}; }
};

/// Composition: (a * b)(p) = a(b(p)).
Affine operator*(const Affine& a, const Affine& b);
/// Determinant of the linear part.
double determinant(const Affine& a);
/// Throws Error{bad_input} if the linear part is singular.
Affine inverse(const Affine& a);
/// Image of a point, in double.
std::array<double, 3> transform(const Affine& a, const std::array<double, 3>& p);
/// Image of a point, computed in double and rounded to float.
Vec3 transform(const Affine& a, const Vec3& p);
/// Largest entry of |L^T L - 1|; 0 for a rotation or reflection.
double orthonormality_defect(const Affine& a);

}  // namespace marrow
