#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "marrow/mesh.hpp"
#include "marrow/timeline.hpp"

namespace marrow {

/// Leaves new elements uninitialised: large blocks are written only once.
template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  template <class U>
  void construct(U* p) noexcept {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
};

/// Positions of all frames, frame after frame. resize() does not initialise new elements.
using PositionBlock = std::vector<Vec3, UninitializedAllocator<Vec3>>;

/// A mesh sequence: a position per frame and vertex of `mesh`. The rest pose, mesh.positions, need not be one of the
/// frames. Several clips or subjects may follow each other.
///
/// Invariants: mesh and timeline are valid; positions.size() == frames * vertices, all finite.
struct Sequence {
  Mesh mesh;
  Timeline timeline;
  PositionBlock positions;  ///< #frames x #vertices

  std::size_t vertices() const { return mesh.vertices(); }
  std::size_t frames() const { return timeline.frames(); }
  std::span<const Vec3> frame(std::size_t t) const { return {positions.data() + t * vertices(), vertices()}; }
  std::span<Vec3> frame(std::size_t t) { return {positions.data() + t * vertices(), vertices()}; }
};

void validate(const Sequence& sequence);

/// Frames [first, first + count); see slice() of a timeline.
Sequence slice(const Sequence& sequence, std::size_t first, std::size_t count);

}  // namespace marrow
