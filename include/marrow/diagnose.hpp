#pragma once

#include <string>
#include <vector>

#include "marrow/sequence.hpp"

namespace marrow {

/// Likely mistakes in a sequence: frames in another unit, with another up axis or vertex order than the rest pose;
/// frames that are all the same; vertices without faces. Each entry is a sentence with a remedy; empty if nothing was
/// found.
std::vector<std::string> diagnose(const Sequence& sequence);

}  // namespace marrow
