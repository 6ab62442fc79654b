// What a person at a terminal sees while a command runs, and what Ctrl-C does.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common.hpp"

namespace marrow::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::stop_source& stop_source() {
  static std::stop_source source;
  return source;
}

/// 0:07, 12:34 or 1:02:03
std::string clock_time(double seconds) {
  const auto whole = long(std::lround(seconds));
  const long hours = whole / 3600, minutes = whole / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

/// One line on stderr, written over again; at most ten times a second.
class ProgressLine {
 public:
  void show(const std::string& command, const Progress& p) {
    const auto now = Clock::now();
    if (p.error >= 0) {
      error_ = fmt::format(" (E_RMS {:.4g}", p.error);
      error_ += p.vertices > 0 ? fmt::format(" over {} vertices)", with_thousands(p.vertices)) : ")";
    }
    if (now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    constexpr int width = 20;
    const auto full = std::size_t(std::floor(p.overall * width));
    fmt::print(stderr, "\r\033[K{}  [{}{}] {:3.0f} %  {} elapsed{}  {}{}", command, std::string(full, '#'),
               std::string(width - full, '-'), std::floor(100 * p.overall), clock_time(elapsed),
               left(p.overall, elapsed), p.stage, error_);
    std::fflush(stderr);
    open_ = true;
  }
  void end() {
    if (open_) fmt::print(stderr, "\r\033[K");
    open_ = false;
  }

 private:
  /// Nothing as long as there is little to tell it from. A new estimate counts with those before, so that it does not
  /// jump.
  std::string left(double overall, double elapsed) {
    constexpr double enough = 0.03, share_of_new = 0.1;
    if (overall < enough || elapsed < 1) return "";
    const double total = elapsed / overall;
    total_ = total_ > 0 ? (1 - share_of_new) * total_ + share_of_new * total : total;
    return fmt::format(", {} left", clock_time(std::max(0.0, total_ - elapsed)));
  }

  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_{};
  std::string error_;
  double total_ = 0;  ///< expected, seconds
  bool open_ = false;
};

ProgressLine& progress_line() {
  static ProgressLine line;
  return line;
}

std::vector<std::string>& warnings() {
  static std::vector<std::string> said;
  return said;
}

}  // namespace

const std::vector<std::string>& warnings_so_far() {
  return warnings();
}

Run Common::run() const {
  Run run{.stop = stop_source().get_token(), .threads = threads};
  run.log = [quiet = quiet](LogLevel level, std::string_view message) {
    if (level == LogLevel::warning) {
      if (std::ranges::find(warnings(), message) != warnings().end()) return;
      warnings().emplace_back(message);
    }
    if (quiet) return;
    progress_line().end();
    fmt::print(stderr, "{}{}\n", level == LogLevel::warning ? "warning: " : "", message);
  };
  if (quiet) return run;
  if (isatty(STDERR_FILENO) != 0) run.progress = [name = command](const Progress& p) { progress_line().show(name, p); };
  return run;
}

void end_progress() {
  progress_line().end();
}

void stop_on_signals() {
  // Blocked in this thread and in all that it starts; one thread waits for them, so no handler has to be
  // signal-safe.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    stop_source().request_stop();
    sigwait(&signals, &signal);
    _exit(Exit::interrupted);  // asked twice: do not wait for anything
  }).detach();
}

}  // namespace marrow::cli
