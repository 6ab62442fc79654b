#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "marrow/matrix.hpp"
#include "marrow/metrics.hpp"
#include "marrow/model.hpp"
#include "marrow/options.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// What a file leaves open.
struct ReadOptions {
  std::filesystem::path rest{};  ///< mesh with faces and rest pose; empty: NAME.obj beside NAME.pc2, or the first frame
  double fps = 0;                ///< frames per second, 1e-6 to 1e6; 0: the file's own times, or 30 if it has none
  char up = 'y';                 ///< up axis of the input, 'y' or 'z'; z-up input is rotated to y-up
  double unit = 1;  ///< output units per input unit (0.01: centimetres to metres), above 0; positions are multiplied
};
/// Its fields for flags, JSON, reports and documentation.
std::vector<Option> option_table(ReadOptions& options);

/// Result of read(): a mesh sequence or a rig.
using Animated = std::variant<Sequence, Rig>;

/// Reads by content and extension. `inputs`: one OBJ, PC2 or glTF file, a folder of OBJ files, a glob ("frames/*.obj"),
/// or several OBJ files. Numbered files are in natural order (frame_2 before frame_10). A GLB with a skin gives a Rig;
/// everything else, also morph targets and moving nodes, a Sequence. Throws Error{bad_file} with file, place and
/// remedy; sizes stated in a file are checked before memory is allocated.
Animated read(const std::vector<std::string>& inputs, const ReadOptions& options = {}, const Run& run = {});

/// As read(); a rig is baked to a sequence.
Sequence read_sequence(const std::vector<std::string>& inputs, const ReadOptions& options = {}, const Run& run = {});

/// Reads a skinned GLB. Throws Error{bad_file} if it is not a rig.
Rig read_rig(const std::filesystem::path& file, const ReadOptions& options = {}, const Run& run = {});

/// The same from the bytes of a GLB. Throws Error{bad_file} where it refers to other files.
Animated read(std::span<const std::byte> glb, const ReadOptions& options = {}, const Run& run = {});
Sequence read_sequence(std::span<const std::byte> glb, const ReadOptions& options = {}, const Run& run = {});
Rig read_rig(std::span<const std::byte> glb, const ReadOptions& options = {}, const Run& run = {});

/// Reads the model of a GLB written by write_glb(Model), with its rig (docs/marrow_skinning.md). Throws Error{bad_file}
/// if the file is damaged or has no model, Error{bad_input} if the model does not fit the mesh.
Model read_model(const std::filesystem::path& file, const Run& run = {});
Model read_model(std::span<const std::byte> glb, const Run& run = {});
/// Whether the file is a GLB with a model that read_model() supports (kind and version).
bool has_model(const std::filesystem::path& file);
/// Whether the file has the model extension at all, even if read_model() rejects its content.
bool has_model_extension(const std::filesystem::path& file);

/// Vertex colours (COLOR_0: red, green, blue, 0 to 1) of a GLB, one per vertex of read_rig(); empty if it has none.
std::vector<std::array<float, 3>> read_vertex_colors(const std::filesystem::path& file);

/// Reads a two-dimensional NumPy array (.npy, versions 1 to 3): little-endian floats of 2, 4 or 8 bytes, C or Fortran
/// order. Throws Error{bad_file} for anything else and for values that are not finite as float.
Matrix read_npy(const std::filesystem::path& file);

/// Reads one OBJ: positions, polygons, texture coordinates and normals; everything else is ignored.
Mesh read_obj(const std::filesystem::path& file);

// Writers write to a temporary name beside the target (.marrow-0.tmp) and rename it when complete: after an error, a
// stop or a full disk, the old file or the new one is there, never a part. A replaced file keeps its mode, and its
// owner and group if the system permits it. What a killed writer left in the folder is removed by the next.

/// Throws Error{bad_file} if no file can be written under this name: it is that of a folder, device or pipe, of a
/// read-only file, or too long, or the folder is missing or not writable. Ask before a long call.
void require_writable(const std::filesystem::path& file);

void write_obj(const Mesh& mesh, const std::filesystem::path& file);
/// Writes FOLDER/NAME_0001.obj, ...: one per frame, with the mesh's faces. The folder must be new or empty.
void write_obj_sequence(const Sequence& sequence, const std::filesystem::path& folder, const Run& run = {});
/// Writes all frames to one PC2. The format has no times, only frame numbers.
void write_pc2(const Sequence& sequence, const std::filesystem::path& file, const Run& run = {});

struct GlbOptions {
  bool normals = true;        ///< add smooth normals if the mesh has none
  bool float_layers = false;  ///< two-layer models: write floats instead of quantised() 16-bit values
};
/// Its fields for flags, JSON, reports and documentation.
std::vector<Option> option_table(GlbOptions& options);

/// Writes mesh, skin and one animation per clip with a key per frame; docs/glb.md says how bones become nodes.
void write_glb(const Rig& rig, const std::filesystem::path& file, const GlbOptions& options = {}, const Run& run = {});

/// The same, with the model in the extension MARROW_skinning. Other players show the plain skin.
void write_glb(const Model& model, const std::filesystem::path& file, const GlbOptions& options = {},
               const Run& run = {});

/// The bytes that write_glb() writes, in memory.
std::vector<std::byte> to_glb(const Rig& rig, const GlbOptions& options = {}, const Run& run = {});
std::vector<std::byte> to_glb(const Model& model, const GlbOptions& options = {}, const Run& run = {});

/// Writes 4-byte floats in C order, NPY version 1.
void write_npy(const Matrix& matrix, const std::filesystem::path& file);

/// Writes a text file, complete or not at all.
void write_text(const std::string& text, const std::filesystem::path& file);

}  // namespace marrow
