#pragma once

#include "marrow/matrix.hpp"
#include "marrow/mesh.hpp"

namespace marrow {

/// Throws Error{bad_input} unless the mesh is valid and has one row of weights per vertex. Weights are finite, at most
/// 1e6 in magnitude, and sum to 1 per row within 1e-3 (plus rounding, if large weights cancel).
void require_weights(const Matrix& weights, const Mesh& mesh);

}  // namespace marrow
