#include "marrow/bone_kind.hpp"

namespace marrow {

const std::map<std::string, BoneKind>& bone_kind_names() {
  static const std::map<std::string, BoneKind> names = {{"rigid", BoneKind::rigid},
                                                        {"scale", BoneKind::scale},
                                                        {"stretch", BoneKind::stretch},
                                                        {"flexible", BoneKind::flexible}};
  return names;
}

}  // namespace marrow
