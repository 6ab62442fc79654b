#pragma once

#include <cstddef>
#include <string>
#include <variant>

#include "marrow/compressed_ddm.hpp"
#include "marrow/ddm_rig.hpp"
#include "marrow/two_layer_rig.hpp"

namespace marrow {

/// A rig whose vertices move by other means than plain weights. Every kind contains a Rig with mesh, skeleton, motion
/// and a plain skin for other players.
using Model = std::variant<DdmRig, TwoLayerRig, CompressedDdm>;

const Rig& plain_rig(const Model& model);
/// Name for people: "Direct Delta Mush", "two-layer skinning", "compressed Direct Delta Mush".
std::string model_name(const Model& model);

void validate(const Model& model);
/// Every frame of the rig's motion.
Sequence bake(const Model& model, const Run& run = {});
/// Bytes of the model in a file, without mesh and motion.
std::size_t storage(const Model& model);

}  // namespace marrow
