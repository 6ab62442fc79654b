#include "marrow/effort.hpp"

namespace marrow {

const std::map<std::string, Effort>& effort_names() {
  static const std::map<std::string, Effort> names = {
      {"fast", Effort::fast}, {"normal", Effort::normal}, {"best", Effort::best}};
  return names;
}

}  // namespace marrow
