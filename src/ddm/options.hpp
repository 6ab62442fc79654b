#pragma once

#include <string>
#include <utility>
#include <vector>

#include "marrow/ddm.hpp"

namespace marrow::ddm {

/// Throws unless the options are in range and fit the rig, and the rig is one that can be smoothed.
void check(const Rig& rig, const DdmOptions& options);

std::vector<std::pair<std::string, Setting>> settings(const DdmOptions& options);

}  // namespace marrow::ddm
