#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace marrow {

/// Makes names unique: the first use keeps its name, later ones get _1, _2, ...
class UniqueNames {
 public:
  std::string operator()(const std::string& name) {
    std::string candidate = name;
    std::size_t& suffix = used_[name];
    while (!taken_.insert(candidate).second) candidate = name + "_" + std::to_string(++suffix);
    return candidate;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> used_;  // last suffix used, per name
};

}  // namespace marrow
