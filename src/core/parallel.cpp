#include "core/parallel.hpp"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace marrow {
namespace {

#ifndef __SANITIZE_THREAD__

/// An arena of exactly the requested number of threads, even if the machine has fewer cores.
class Threads {
 public:
  explicit Threads(const Run& run)
      : limit_(tbb::global_control::max_allowed_parallelism,
               std::size_t(std::max(thread_count(run), tbb::info::default_concurrency()))),
        arena_(thread_count(run)) {}

  void run(std::size_t first, std::size_t last, const std::function<void(std::size_t)>& body) {
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(first, last, 1),
          [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t c = range.begin(); c != range.end(); ++c) body(c);
          },
          tbb::simple_partitioner());
    });
  }

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};

#else

/// The thread sanitizer does not see how oneTBB hands over work and would report every loop. Plain threads show it the
/// accesses of the bodies only.
class Threads {
 public:
  explicit Threads(const Run& run) : count_(thread_count(run)) {}

  void run(std::size_t first, std::size_t last, const std::function<void(std::size_t)>& body) const {
    std::atomic<std::size_t> next = first;
    std::mutex mutex;
    std::exception_ptr error;
    const auto work = [&] {
      try {
        for (std::size_t c = next++; c < last; c = next++) body(c);
      } catch (...) {
        next = last;
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
      }
    };
    {
      std::vector<std::jthread> threads;
      for (int made = 1; made < count_; ++made) threads.emplace_back(work);
      work();
    }
    if (error) std::rethrow_exception(error);
  }

 private:
  int count_;
};

#endif

/// The work of chunk c.
std::function<void(std::size_t)> chunk_body(const Run& run, std::size_t count, std::size_t grain,
                                            const std::function<void(std::size_t, std::size_t)>& body) {
  return [&run, count, grain, &body](std::size_t c) {
    run.check_stop("parallel_for");
    body(c * grain, std::min(count, (c + 1) * grain));
  };
}

}  // namespace

int thread_count(const Run& run) {
  return run.threads > 0 ? run.threads : tbb::info::default_concurrency();
}

void parallel_for(const Run& run, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t chunks = (count + grain - 1) / grain;
  const auto chunk = chunk_body(run, count, grain, body);
  if (chunks <= 1 || thread_count(run) == 1) {
    // Nothing to share. A nested loop stays on its thread.
    for (std::size_t c = 0; c < chunks; ++c) chunk(c);
    return;
  }
  Threads threads(run);
  threads.run(0, chunks, chunk);
}

void parallel_for(const Run& run, std::string_view stage, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  Threads threads(run);
  const std::size_t chunks = (count + grain - 1) / grain;
  // About fifty reports; each group keeps every thread busy.
  const std::size_t group = std::max<std::size_t>(chunks / 50, 4 * std::size_t(thread_count(run)));
  const auto chunk = chunk_body(run, count, grain, body);
  for (std::size_t first = 0; first < chunks; first += group) {
    const std::size_t last = std::min(chunks, first + group);
    threads.run(first, last, chunk);
    run.report({.stage = stage, .fraction = double(last) / double(chunks)});
  }
}

}  // namespace marrow
