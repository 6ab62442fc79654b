#pragma once

#include <cmath>
#include <span>
#include <string>

#include "marrow/error.hpp"
#include "marrow/math.hpp"

namespace marrow {

/// Throws Error{bad_input} unless `rule` holds. Calls `message` only then.
template <class Message>
void require(bool rule, const char* where, Message&& message) {
  if (!rule) throw Error(ErrorCode::bad_input, where, message());
}

inline bool is_finite(const Vec3& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

inline bool is_finite(const Affine& a) {
  for (const double v : a.m) {
    if (!std::isfinite(v)) return false;
  }
  return true;
}

/// Index of the first point with a non-finite coordinate; points.size() if there is none.
std::size_t first_not_finite(std::span<const Vec3> points);

}  // namespace marrow
