#include "core/parallel.hpp"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace marrow {
namespace {

/// An arena of exactly the threads asked for, also where that is more than there are cores.
struct Threads {
  explicit Threads(const Run& run)
      : limit(tbb::global_control::max_allowed_parallelism,
              static_cast<std::size_t>(std::max(thread_count(run), tbb::info::default_concurrency()))),
        arena(thread_count(run)) {}

  tbb::global_control limit;
  tbb::task_arena arena;
};

void run_chunks(const Run& run, tbb::task_arena& arena, std::size_t first_chunk, std::size_t last_chunk,
                std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(first_chunk, last_chunk, 1),
        [&](const tbb::blocked_range<std::size_t>& chunks) {
          for (std::size_t c = chunks.begin(); c != chunks.end(); ++c) {
            run.check_stop("parallel_for");
            body(c * grain, std::min(count, (c + 1) * grain));
          }
        },
        tbb::simple_partitioner());
  });
}

}  // namespace

int thread_count(const Run& run) {
  return run.threads > 0 ? run.threads : tbb::info::default_concurrency();
}

void parallel_for(const Run& run, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  Threads threads(run);
  run_chunks(run, threads.arena, 0, (count + grain - 1) / grain, count, grain, body);
}

void parallel_for(const Run& run, std::string_view stage, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  Threads threads(run);
  const std::size_t chunks = (count + grain - 1) / grain;
  // About fifty reports, each group large enough to keep every thread busy.
  const std::size_t group = std::max<std::size_t>(chunks / 50, 4 * static_cast<std::size_t>(thread_count(run)));
  for (std::size_t first = 0; first < chunks; first += group) {
    const std::size_t last = std::min(chunks, first + group);
    run_chunks(run, threads.arena, first, last, count, grain, body);
    run.report({.stage = stage, .fraction = static_cast<double>(last) / static_cast<double>(chunks)});
  }
}

}  // namespace marrow
