// What a person at a terminal sees while a command runs, and what Ctrl-C does.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <stop_token>
#include <string>
#include <thread>

#include "common.hpp"

namespace marrow::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::stop_source& stop_source() {
  static std::stop_source source;
  return source;
}

std::string time_left(double fraction, double elapsed) {
  if (fraction < 0.02 || elapsed < 0.5) return "";
  const double left = elapsed / fraction - elapsed;
  return left < 60 ? fmt::format("{:.0f} s left", left) : fmt::format("{:.0f} min left", left / 60);
}

/// One line on stderr, written over again; at most ten times a second.
class ProgressLine {
 public:
  void show(const Progress& p) {
    const auto now = Clock::now();
    if (p.stage != stage_) {
      stage_ = p.stage;
      start_ = now;
      shown_ = {};
    }
    if (now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    std::string line = fmt::format("{} {:3.0f} %", stage_, 100 * p.fraction);
    if (p.iteration > 0) line += fmt::format("  iteration {}", p.iteration);
    if (p.error >= 0) line += fmt::format("  E_RMS {:.4g}", p.error);
    fmt::print(stderr, "\r\033[K{}  {}", line, time_left(p.fraction, elapsed));
    std::fflush(stderr);
    open_ = true;
  }
  void end() {
    if (open_) fmt::print(stderr, "\r\033[K");
    open_ = false;
  }

 private:
  std::string stage_;
  Clock::time_point start_{};
  Clock::time_point shown_{};
  bool open_ = false;
};

ProgressLine& progress_line() {
  static ProgressLine line;
  return line;
}

}  // namespace

Run Common::run() const {
  Run run{.stop = stop_source().get_token(), .threads = threads};
  if (quiet) return run;
  if (isatty(STDERR_FILENO) != 0) run.progress = [](const Progress& p) { progress_line().show(p); };
  run.log = [](LogLevel level, std::string_view message) {
    progress_line().end();
    fmt::print(stderr, "{}{}\n", level == LogLevel::warning ? "warning: " : "", message);
  };
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
