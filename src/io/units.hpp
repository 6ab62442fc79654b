#pragma once

#include "marrow/io.hpp"

namespace marrow {

/// Throws Error{bad_request} naming the option that is out of range.
void check_options(const ReadOptions& options);

/// Converts to y-up and output units, p' = C p with C = unit * rotation. Positions and frames are multiplied by C, mesh
/// normals by the rotation. Bone and bind transforms become C M C^-1, so that rigid bones stay rigid and deforming
/// commutes with converting. Throws Error{bad_request} if positions overflow.
void convert_units(Sequence& sequence, const ReadOptions& options, const Run& run);
void convert_units(Rig& rig, const ReadOptions& options);

}  // namespace marrow
