#include "io/units.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <utility>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "marrow/error.hpp"

namespace marrow {
namespace {

[[noreturn]] void fail(const char* option, const std::string& message) {
  throw Error(ErrorCode::bad_request, option, message);
}

bool changes_nothing(const ReadOptions& options) {
  return options.up == 'y' && options.unit == 1;
}

/// z-up to y-up is a quarter turn about x: (x, y, z) -> (x, z, -y).
Vec3 turned(const Vec3& v, char up) {
  return up == 'z' ? Vec3{v.x, v.z, -v.y} : v;
}

void convert(std::span<Vec3> points, const ReadOptions& options) {
  for (Vec3& p : points) {
    const Vec3 q = turned(p, options.up);
    p = {float(options.unit * q.x), float(options.unit * q.y), float(options.unit * q.z)};
  }
  if (first_not_finite(points) != points.size()) {
    fail("unit", fmt::format("a unit of {} makes positions too large for floats", options.unit));
  }
}

void convert(Mesh& mesh, const ReadOptions& options) {
  convert(mesh.positions, options);
  for (Vec3& n : mesh.normals) n = turned(n, options.up);
}

/// C M C^-1 = [ R L R^T | unit R t ]: the unit cancels in the linear part, so that it is only permuted, without
/// rounding.
Affine conjugated(const Affine& a, const ReadOptions& options) {
  Affine b = a;
  if (options.up == 'z') {
    // R moves row (and R^T, from the right, column) 2 to place 1, and the negated row 1 to place 2.
    for (std::size_t c = 0; c < 4; ++c) {
      b(1, c) = a(2, c);
      b(2, c) = -a(1, c);
    }
    for (std::size_t r = 0; r < 3; ++r) b(r, 1) = std::exchange(b(r, 2), -b(r, 1));
  }
  for (std::size_t r = 0; r < 3; ++r) b(r, 3) *= options.unit;
  if (!is_finite(b)) fail("unit", fmt::format("a unit of {} makes bone positions overflow", options.unit));
  return b;
}

}  // namespace

void check_options(const ReadOptions& options) {
  check_ranges(options);
}

void convert_units(Sequence& sequence, const ReadOptions& options, const Run& run) {
  if (changes_nothing(options)) return;
  convert(sequence.mesh, options);
  parallel_for(run, sequence.positions.size(), std::size_t(1) << 16, [&](std::size_t begin, std::size_t end) {
    convert({sequence.positions.data() + begin, end - begin}, options);
  });
}

void convert_units(Rig& rig, const ReadOptions& options) {
  if (changes_nothing(options)) return;
  convert(rig.mesh, options);
  for (Affine& bind : rig.skeleton.bind) bind = conjugated(bind, options);
  for (Affine& transform : rig.motion.transforms) transform = conjugated(transform, options);
}

}  // namespace marrow
