#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/files.hpp"

namespace marrow::testing {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

/// A running tool, its output going to files.
class Tool {
 public:
  Tool(const std::filesystem::path& folder, std::vector<std::string> arguments, rlim_t file_limit = RLIM_INFINITY)
      : out_(folder / "stdout.txt"), err_(folder / "stderr.txt") {
    pid_ = fork();
    if (pid_ != 0) return;
    const int out = open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int err = open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (chdir(folder.c_str()) != 0) _exit(99);
    if (file_limit != RLIM_INFINITY) {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{file_limit, file_limit};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    arguments.insert(arguments.begin(), MARROW_TOOL);
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(98);
  }

  pid_t pid() const { return pid_; }

  Outcome wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), read_bytes(out_), read_bytes(err_)};
  }

 private:
  std::filesystem::path out_, err_;
  pid_t pid_ = -1;
};

inline Outcome run_tool(const std::filesystem::path& folder, std::vector<std::string> arguments) {
  return Tool(folder, std::move(arguments)).wait();
}

}  // namespace marrow::testing
