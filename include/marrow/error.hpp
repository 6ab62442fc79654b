#pragma once

#include <stdexcept>
#include <string>

namespace marrow {

/// What kind of thing went wrong; the command line turns it into an exit code.
enum class ErrorCode {
  bad_input,    ///< values that break a documented rule (a validate() failed, shapes do not fit)
  bad_file,     ///< a file that cannot be opened, read, parsed or written
  bad_request,  ///< options that are out of range or that nothing could satisfy
  stopped,      ///< the run's stop token was triggered
};

/// The one exception type of the library. what() is "where: message".
class Error : public std::runtime_error {
 public:
  /// `where` names the file and line, or the function and field; `message` says what is wrong and what to do.
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
