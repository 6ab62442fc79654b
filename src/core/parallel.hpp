#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "marrow/run.hpp"

namespace marrow {

/// Calls body(begin, end) for chunks [0, grain), [grain, 2 grain), ... of [0, count) on at most run.threads threads.
/// Chunks depend only on count and grain. A body that writes only to its own chunk, or keeps a partial result per chunk
/// (begin / grain) that the caller adds up in order, gives the same bytes for any thread count. Checks for a stop
/// before each chunk (Error{stopped}); rethrows exceptions of a body.
void parallel_for(const Run& run, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

/// The same, with a progress report as `stage` after each group of chunks, from the calling thread.
void parallel_for(const Run& run, std::string_view stage, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

/// Number of threads that `run` may use on this machine.
int thread_count(const Run& run);

}  // namespace marrow
