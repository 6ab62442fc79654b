#pragma once

#include "lbs/bones.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"
#include "marrow/skeleton.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// A result of the solver: hierarchy, transforms and weights.
struct Found {
  const Tree& tree;
  const lbs::Bones& bones;
  const lbs::SlotWeights& weights;
};

/// Makes the rig: names, order, bind poses along the bones, end bones. `given`: names by the solver's index instead of
/// generated ones; may be empty.
Rig assemble(const Sequence& sequence, const lbs::Space& space, const Found& found,
             const std::vector<std::string>& given, bool ends);

}  // namespace marrow::skeleton
