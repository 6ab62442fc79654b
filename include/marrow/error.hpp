#pragma once

#include <stdexcept>
#include <string>

namespace marrow {

/// Kind of an error; the command line maps it to an exit code.
enum class ErrorCode {
  bad_input,    ///< values that break a documented rule (validate() failed, sizes do not match)
  bad_file,     ///< a file that cannot be opened, read, parsed or written
  bad_request,  ///< options out of range or impossible to satisfy
  stopped,      ///< the run's stop token was triggered
};

/// The only exception type of the library. what() is "where: message".
class Error : public std::runtime_error {
 public:
  /// `where`: file and line, or function and field. `message`: what is wrong and what to do.
  Error(ErrorCode code, std::string where, std::string message);

  ErrorCode code() const { return code_; }
  const std::string& where() const { return where_; }
  const std::string& message() const { return message_; }

 private:
  ErrorCode code_;
  std::string where_;
  std::string message_;
};

}  // namespace marrow
