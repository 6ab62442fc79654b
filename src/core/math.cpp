#include "marrow/math.hpp"

#include <algorithm>
#include <cmath>

#include "marrow/error.hpp"

namespace marrow {

Affine operator*(const Affine& a, const Affine& b) {
  Affine c;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t q = 0; q < 4; ++q) {
      c(r, q) = a(r, 0) * b(0, q) + a(r, 1) * b(1, q) + a(r, 2) * b(2, q) + (q == 3 ? a(r, 3) : 0.0);
    }
  }
  return c;
}

double determinant(const Affine& a) {
  return a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1)) - a(0, 1) * (a(1, 0) * a(2, 2) - a(1, 2) * a(2, 0)) +
         a(0, 2) * (a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0));
}

Affine inverse(const Affine& a) {
  const double det = determinant(a);
  if (det == 0 || !std::isfinite(1 / det)) {
    throw Error(ErrorCode::bad_input, "inverse", "the transform is singular and has no inverse");
  }
  Affine c;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t q = 0; q < 3; ++q) {
      const std::size_t r1 = (q + 1) % 3, r2 = (q + 2) % 3, k1 = (r + 1) % 3, k2 = (r + 2) % 3;
      c(r, q) = (a(r1, k1) * a(r2, k2) - a(r1, k2) * a(r2, k1)) / det;
    }
  }
  for (std::size_t r = 0; r < 3; ++r) c(r, 3) = -(c(r, 0) * a(0, 3) + c(r, 1) * a(1, 3) + c(r, 2) * a(2, 3));
  return c;
}

std::array<double, 3> transform(const Affine& a, const std::array<double, 3>& p) {
  std::array<double, 3> q;
  for (std::size_t r = 0; r < 3; ++r) q[r] = a(r, 0) * p[0] + a(r, 1) * p[1] + a(r, 2) * p[2] + a(r, 3);
  return q;
}

Vec3 transform(const Affine& a, const Vec3& p) {
  const auto q = transform(a, std::array<double, 3>{p.x, p.y, p.z});
  return {float(q[0]), float(q[1]), float(q[2])};
}

double orthonormality_defect(const Affine& a) {
  double worst = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t l = 0; l < 3; ++l) {
      const double dot = a(0, c) * a(0, l) + a(1, c) * a(1, l) + a(2, c) * a(2, l);
      worst = std::max(worst, std::abs(dot - (c == l ? 1.0 : 0.0)));
    }
  }
  return worst;
}

}  // namespace marrow
