#pragma once

#include <vector>

#include "io/glb_write_stream.hpp"
#include "io/seams.hpp"
#include "marrow/rig.hpp"

namespace marrow {

/// Writes the mesh of a rig as one glTF primitive with joints and weights.
class GlbMesh {
 public:
  /// Keeps a reference: the rig must outlive this object.
  GlbMesh(const Rig& rig, bool add_normals);

  /// Adds the vertex data to the file; its views refer to this object. Returns the entry of "meshes".
  GlbFile::Json describe(GlbFile& glb) const;

 private:
  std::size_t add_positions(GlbFile& glb) const;
  std::size_t add_normals(GlbFile& glb) const;
  std::size_t add_uvs(GlbFile& glb) const;
  std::size_t add_joints(GlbFile& glb, std::size_t set) const;
  std::size_t add_weights(GlbFile& glb, std::size_t set) const;
  std::size_t add_indices(GlbFile& glb) const;
  template <class Index>
  void write_joints(std::size_t set, ByteStream& out) const;
  template <class Index>
  void write_indices(ByteStream& out) const;
  Vec3 normal(std::size_t v) const;

  const Rig& rig_;
  SeamVertices vertices_;
  std::vector<Vec3> smooth_normals_;  ///< per mesh vertex; empty unless added
};

}  // namespace marrow
