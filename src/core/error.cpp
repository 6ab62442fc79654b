#include "marrow/error.hpp"

#include <utility>

namespace marrow {

Error::Error(ErrorCode code, std::string where, std::string message)
    : std::runtime_error(where.empty() ? message : where + ": " + message),
      code_(code),
      where_(std::move(where)),
      message_(std::move(message)) {}

}  // namespace marrow
