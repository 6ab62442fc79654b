#pragma once

#include "marrow/io.hpp"

namespace marrow {

/// Throws Error{bad_request} naming the option that is out of range.
void check_options(const ReadOptions& options);

/// Turns what was read to y-up and to output units, p' = C p with C = unit * rotation: positions and frames by C, mesh
/// normals by the rotation alone, bone transforms and bind transforms to C M C^-1, so that rigid bones stay rigid and
/// deforming commutes with converting. Throws Error{bad_request} when the unit makes positions overflow.
void convert_units(Sequence& sequence, const ReadOptions& options, const Run& run);
void convert_units(Rig& rig, const ReadOptions& options);

}  // namespace marrow
