#include "marrow/bone_kind.hpp"

namespace marrow {

const EnumNames<BoneKind>& bone_kind_names() {
  static const EnumNames<BoneKind> names = {{BoneKind::rigid, "rigid", "bones turn and move"},
                                            {BoneKind::scale, "scale", "they also grow and shrink evenly"},
                                            {BoneKind::stretch, "stretch", "they also stretch along three axes"},
                                            {BoneKind::flexible, "flexible", "any affine transform"}};
  return names;
}

}  // namespace marrow
