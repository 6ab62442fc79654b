#pragma once

#include "marrow/matrix.hpp"
#include "marrow/mesh.hpp"

namespace marrow {

/// Throws Error{bad_input} unless the mesh is valid and has a row of weights per vertex: numbers within a million of 0
/// that sum to 1 within 1e-3, or what rounding to floats leaves of that where they are large and cancel.
void require_weights(const Matrix& weights, const Mesh& mesh);

}  // namespace marrow
