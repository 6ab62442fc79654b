#pragma once

#include <string>
#include <vector>

#include "marrow/sequence.hpp"

namespace marrow {

/// What looks wrong with a sequence before anything is solved: frames in another unit, with another up axis or with
/// another vertex order than the rest pose, frames that are all the same, vertices that no face uses. Each entry is a
/// sentence with a remedy; none where all looks well.
std::vector<std::string> diagnose(const Sequence& sequence);

}  // namespace marrow
