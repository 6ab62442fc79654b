#pragma once

#include <cstddef>
#include <filesystem>

#include "io/input_file.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// A PC2 point cache: positions of the same points in many frames, without faces and times. Layout, little-endian:
/// "POINTCACHE2\0", int32 version (1), int32 points, float start frame, float frames per sample, int32 samples; then
/// three floats per point and sample.
class Pc2File {
 public:
  /// Reads the header and checks it against the file size. Throws Error{bad_file}.
  explicit Pc2File(const std::filesystem::path& file);

  std::size_t vertices() const { return vertices_; }
  std::size_t frames() const { return frames_; }
  /// Reads all frames. Throws Error{bad_file} with frame and vertex if a position is not finite.
  PositionBlock read(const Run& run) const;

 private:
  InputFile file_;
  std::size_t vertices_ = 0;
  std::size_t frames_ = 0;
};

}  // namespace marrow
