#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "marrow/mesh.hpp"
#include "marrow/timeline.hpp"

namespace marrow {

/// Leaves new elements uninitialised, so that a large block is touched once, by whoever fills it.
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

/// Positions of many frames, one frame after the other. resize() does not clear what it adds.
using PositionBlock = std::vector<Vec3, UninitializedAllocator<Vec3>>;

/// A mesh in motion: every frame gives a position to every vertex of `mesh`. The rest pose, mesh.positions, is not
/// necessarily one of the frames. Several clips or subjects may stand one after the other.
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

/// Frames [first, first + count) of the same mesh; see slice() of a timeline.
Sequence slice(const Sequence& sequence, std::size_t first, std::size_t count);

}  // namespace marrow
