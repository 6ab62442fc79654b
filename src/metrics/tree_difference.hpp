#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "marrow/rig.hpp"

namespace marrow {

/// Bones with weight on some vertex.
std::set<std::size_t> working_bones(const Rig& rig);

/// For each found bone the true bone with the largest common weight.
std::vector<std::size_t> matches(const Rig& found, const Rig& truth);

/// The largest difference of a weight, each true bone by the found one that matches it; 1 where two have the same one.
double weight_difference(const Rig& truth, const Rig& found);

/// Differences between a skeleton and the true one.
struct TreeDifference {
  std::vector<std::string> missing;  ///< joints of the true skeleton that were not found
  std::size_t joints = 0;            ///< number of joints found, right or wrong
  double worst = 0;                  ///< largest distance of a joint from the true one, as a share of the size
  std::string where;                 ///< name of that joint
};
TreeDifference tree_difference(const Rig& truth, const Rig& found);

}  // namespace marrow
