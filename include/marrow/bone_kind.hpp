#pragma once

#include "marrow/enum_names.hpp"

namespace marrow {

/// Transforms that a bone may have, besides translation.
enum class BoneKind {
  rigid,     ///< rotation
  scale,     ///< rotation and uniform scale
  stretch,   ///< rotation and scale along three axes fixed per bone
  flexible,  ///< any affine transform
};

/// Names on the command line, in JSON and in reports.
const EnumNames<BoneKind>& bone_kind_names();

}  // namespace marrow
