#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>

namespace marrow {

/// Keeps the error with the lowest index of a parallel loop. A single thread would meet it first, so the message is the
/// same for any thread count.
class FirstError {
 public:
  /// Calls body() unless an earlier index has failed.
  template <class Body>
  void guard(std::size_t index, Body&& body) {
    if (index > lowest_.load(std::memory_order_relaxed)) return;
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (index >= lowest_.load(std::memory_order_relaxed)) return;
      lowest_.store(index, std::memory_order_relaxed);
      error_ = std::current_exception();
    }
  }

  /// Call after the loop.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<std::size_t> lowest_{std::numeric_limits<std::size_t>::max()};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace marrow
