#include "marrow/run.hpp"

#include <string>

#include "marrow/error.hpp"

namespace marrow {

void Run::check_stop(std::string_view where) const {
  if (stop.stop_requested()) throw Error(ErrorCode::stopped, std::string(where), "stopped before it was finished");
}

}  // namespace marrow
