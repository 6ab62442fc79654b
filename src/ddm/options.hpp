#pragma once

#include "marrow/ddm.hpp"

namespace marrow::ddm {

/// Throws unless options are in range and fit the rig, and the rig has vertices, bones and a size.
void check(const Rig& rig, const DdmOptions& options);

}  // namespace marrow::ddm
