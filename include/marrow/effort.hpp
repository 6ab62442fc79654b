#pragma once

#include <map>
#include <string>

namespace marrow {

/// Time to spend on a better result.
enum class Effort {
  fast,    ///< no search for better positions of the bones
  normal,  ///< a short search
  best,    ///< a long search
};

/// Names on the command line and in reports.
const std::map<std::string, Effort>& effort_names();

}  // namespace marrow
