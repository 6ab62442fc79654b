#pragma once

#include <map>
#include <string>

namespace marrow {

/// What a bone may do beyond moving.
enum class BoneKind {
  rigid,     ///< turn
  scale,     ///< turn and grow or shrink evenly
  stretch,   ///< turn and stretch along three axes of its own
  flexible,  ///< any affine transform
};

/// Names on the command line and in reports.
const std::map<std::string, BoneKind>& bone_kind_names();

}  // namespace marrow
