#pragma once

#include "marrow/skeleton.hpp"
#include "skeleton/passes.hpp"

namespace marrow::skeletal {

/// What becomes a rig: bones in the solver's space, where they hang and what they move.
struct Found {
  const Tree& tree;
  const ssdr::Bones& bones;
  const ssdr::SlotWeights& weights;
};

/// Names, order, bind poses along the bones and ends. `given` names, by the solver's number, replace those made here;
/// may be empty.
Rig assemble(const Sequence& sequence, const ssdr::Space& space, const Found& found,
             const std::vector<std::string>& given, bool ends);

}  // namespace marrow::skeletal
