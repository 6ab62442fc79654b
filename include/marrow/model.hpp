#pragma once

#include <cstddef>
#include <string>
#include <variant>

#include "marrow/compressed_ddm.hpp"
#include "marrow/ddm_rig.hpp"
#include "marrow/two_layer_rig.hpp"

namespace marrow {

/// A rig whose vertices are moved by other means than plain weights. Each kind has a rig with mesh, bones, motion and a
/// plain skin for those who do not know the model.
using Model = std::variant<DdmRig, TwoLayerRig, CompressedDdm>;

const Rig& plain_rig(const Model& model);
/// For people: "Direct Delta Mush", "two-layer skinning", "compressed Direct Delta Mush".
std::string model_name(const Model& model);

void validate(const Model& model);
/// Every frame of the rig's motion.
Sequence bake(const Model& model, const Run& run = {});
/// What storing the model takes beside mesh and motion, bytes.
std::size_t storage(const Model& model);

}  // namespace marrow
