#pragma once

#include "marrow/ddm_compression.hpp"

namespace marrow::ddm_compression {

/// Throws Error{bad_request} naming the option out of range.
void check(const DdmRig& ddm, const DdmCompressionOptions& options, const RangesOfMotion& ranges);

}  // namespace marrow::ddm_compression
