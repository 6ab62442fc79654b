#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "marrow/run.hpp"

namespace marrow {

/// Bytes that a call may take: half of available_memory().
std::uint64_t memory_limit(const Run& run);

/// What the machine has, or the control group that the process is in (v2 or v1) where that allows less. Bytes.
std::uint64_t available_memory();

/// Throws Error{bad_request} where `count` things of `bytes` each are more than the call may take. To be asked before
/// they are taken: by readers for what a file states, by solvers for what grows faster than their input. `what` names
/// them in the plural: "cat.glb: 400000 frames of 60 bones".
void need(const Run& run, std::uint64_t count, std::uint64_t bytes, std::string_view what);

}  // namespace marrow
