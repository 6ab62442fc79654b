#pragma once

#include <string>
#include <utility>
#include <vector>

#include "marrow/two_layer.hpp"

namespace marrow::two_layer {

/// Throws Error{bad_request} for options out of range.
void check_request(const CompressOptions& options, std::size_t vertices);
/// Throws Error{bad_input} unless there is a frame of the target for each of the rig's motion, with the same vertices.
void check_target(const Rig& rig, const Sequence& target, const CompressOptions& options);
/// Throws Error{bad_request} for a refit without poses, or of bones that may not move on their own.
void check_refit(const CompressOptions& options, const Skeleton& skeleton, bool has_poses);
/// What was asked, for the report.
std::vector<std::pair<std::string, Setting>> request_settings(const CompressOptions& options);

}  // namespace marrow::two_layer
