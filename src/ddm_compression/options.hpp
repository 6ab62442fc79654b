#pragma once

#include <utility>
#include <vector>

#include "marrow/ddm_compression.hpp"

namespace marrow::ddm_compression {

/// Throws Error{bad_request} naming the option out of range.
void check(const DdmRig& ddm, const DdmCompressionOptions& options, const RangesOfMotion& ranges);

std::vector<std::pair<std::string, Setting>> settings(const DdmCompressionOptions& options);

}  // namespace marrow::ddm_compression
