#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "marrow/run.hpp"

namespace marrow {

/// Calls body(begin, end) for chunks [0, grain), [grain, 2 grain), ... of [0, count), on at most run.threads threads.
/// Chunks depend only on count and grain, never on the number of threads: a body that writes only to its own chunk, or
/// keeps one partial result per chunk (begin / grain) for the caller to add up in order, gives the same bytes for any
/// thread count. Checks for a stop before each chunk (Error{stopped}); an exception of a body is passed on.
void parallel_for(const Run& run, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

/// The same with a progress report under the name `stage` after each group of chunks, from the calling thread.
void parallel_for(const Run& run, std::string_view stage, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

/// How many threads `run` may use on this machine.
int thread_count(const Run& run);

}  // namespace marrow
