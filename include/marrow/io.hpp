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
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"

namespace marrow {

/// How to read what a file leaves open.
struct ReadOptions {
  std::filesystem::path rest{};  ///< mesh with faces and rest pose; empty: NAME.obj beside NAME.pc2, or the first frame
  double fps = 0;                ///< frames per second; 0: the file's own times, or 30 where it has none
  char up = 'y';                 ///< up axis of the input, 'y' or 'z'; a z-up input is turned to y-up
  double unit = 1;  ///< metres (or whatever the output shall have) per input unit; positions are multiplied
};

/// What a reader found: a mesh in motion, or a mesh with bones.
using Animated = std::variant<Sequence, Rig>;

/// Reads by content and extension. `inputs`: one OBJ, a PC2, a GLB, a folder of OBJ files, a glob ("frames/*.obj"), or
/// several OBJ files. Numbered files are taken in natural order (frame_2 before frame_10). A GLB with a skin gives a
/// Rig; everything else, with morph targets or moving nodes too, a Sequence.
/// Throws Error{bad_file} naming file, place and remedy; the sizes a file states are checked before memory is taken.
Animated read(const std::vector<std::string>& inputs, const ReadOptions& options = {}, const Run& run = {});

/// The same, as a sequence: a rig is baked.
Sequence read_sequence(const std::vector<std::string>& inputs, const ReadOptions& options = {}, const Run& run = {});

/// A skinned GLB.
Rig read_rig(const std::filesystem::path& file, const ReadOptions& options = {}, const Run& run = {});

/// The model of a GLB that write_glb(Model) wrote, with its rig (docs/marrow_skinning.md). Throws Error{bad_file} for a
/// damaged file or one without a model, Error{bad_input} where the model does not fit the mesh.
Model read_model(const std::filesystem::path& file, const Run& run = {});
/// Whether a file is a GLB with a model of a kind and version that read_model() reads.
bool has_model(const std::filesystem::path& file);
/// Whether a file has the extension for models at all, also where read_model() refuses what is in it.
bool has_model_extension(const std::filesystem::path& file);

/// The vertex colours (COLOR_0: red, green, blue from 0 to 1) of a GLB, one per vertex of read_rig(); empty where there
/// are none.
std::vector<std::array<float, 3>> read_vertex_colors(const std::filesystem::path& file);

/// A NumPy array of two dimensions (.npy, versions 1 to 3): floats of 2, 4 or 8 bytes, little-endian, in C or Fortran
/// order. Throws Error{bad_file} for anything else, for damage and for values that no float can hold.
Matrix read_npy(const std::filesystem::path& file);

/// One OBJ: positions, polygons, texture coordinates and normals; everything else is passed over.
Mesh read_obj(const std::filesystem::path& file);

// Writers put the data under a temporary name beside the target and rename it when it is complete: after an error, a
// stop or a full disk there is either the old file or the new one.

void write_obj(const Mesh& mesh, const std::filesystem::path& file);
/// FOLDER/NAME_0001.obj, ...: one per frame, with the mesh's faces. The folder must not exist yet, or be empty.
void write_obj_sequence(const Sequence& sequence, const std::filesystem::path& folder, const Run& run = {});
/// All frames as one PC2. The format has no seconds: it counts in frames, one per sample.
void write_pc2(const Sequence& sequence, const std::filesystem::path& file, const Run& run = {});

struct GlbOptions {
  bool normals = true;        ///< add smooth normals where the mesh has none
  bool float_layers = false;  ///< two-layer models: floats instead of quantised() values of 2 bytes
};
/// Mesh, skin and one animation per clip, a key per frame; see docs/glb.md for how bones become nodes.
void write_glb(const Rig& rig, const std::filesystem::path& file, const GlbOptions& options = {}, const Run& run = {});

/// The same, with the model in the extension MARROW_skinning; players that do not know it show the plain skin.
void write_glb(const Model& model, const std::filesystem::path& file, const GlbOptions& options = {},
               const Run& run = {});

/// As 4-byte floats in C order, version 1.
void write_npy(const Matrix& matrix, const std::filesystem::path& file);

/// A text file, complete or not at all.
void write_text(const std::string& text, const std::filesystem::path& file);

}  // namespace marrow
