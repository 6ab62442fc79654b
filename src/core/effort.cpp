#include "marrow/effort.hpp"

namespace marrow {

const EnumNames<Effort>& effort_names() {
  static const EnumNames<Effort> names = {{Effort::fast, "fast", "no search"},
                                          {Effort::normal, "normal", "a short search"},
                                          {Effort::best, "best", "a long search"}};
  return names;
}

}  // namespace marrow
