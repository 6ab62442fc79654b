#pragma once

#include "lbs/bones.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"
#include "marrow/skeleton.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeleton {

/// What becomes a rig: bones in the solver's space, where they hang and what they move.
struct Found {
  const Tree& tree;
  const lbs::Bones& bones;
  const lbs::SlotWeights& weights;
};

/// Names, order, bind poses along the bones and ends. `given` names, by the solver's number, replace those made here;
/// may be empty.
Rig assemble(const Sequence& sequence, const lbs::Space& space, const Found& found,
             const std::vector<std::string>& given, bool ends);

}  // namespace marrow::skeleton
