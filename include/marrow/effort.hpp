#pragma once

#include "marrow/enum_names.hpp"

namespace marrow {

/// Time to spend on a better result.
enum class Effort {
  fast,    ///< no search for better positions of the bones
  normal,  ///< a short search
  best,    ///< a long search
};

/// Names on the command line, in JSON and in reports.
const EnumNames<Effort>& effort_names();

}  // namespace marrow
