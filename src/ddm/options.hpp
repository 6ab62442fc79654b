#pragma once

#include <string>
#include <utility>
#include <vector>

#include "marrow/ddm.hpp"

namespace marrow::ddm {

/// Throws unless options are in range and fit the rig, and the rig has vertices, bones and a size.
void check(const Rig& rig, const DdmOptions& options);

std::vector<std::pair<std::string, Setting>> settings(const DdmOptions& options);

}  // namespace marrow::ddm
