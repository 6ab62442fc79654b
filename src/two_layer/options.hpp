#pragma once

#include <string>
#include <utility>
#include <vector>

#include "marrow/two_layer.hpp"

namespace marrow::two_layer {

/// Throws Error{bad_request} for options out of range.
void check_request(const CompressOptions& options, std::size_t vertices);
/// Throws Error{bad_input} unless the target has the rig's vertices and frames.
void check_target(const Rig& rig, const Sequence& target, const CompressOptions& options);
/// Throws Error{bad_request} for a refit without poses, or of bones with parents.
void check_refit(const CompressOptions& options, const Skeleton& skeleton, bool has_poses);

}  // namespace marrow::two_layer
