#include "marrow/model.hpp"

namespace marrow {

const Rig& plain_rig(const Model& model) {
  return std::visit([](const auto& kind) -> const Rig& { return kind.rig; }, model);
}

std::string model_name(const Model& model) {
  constexpr const char* names[] = {"Direct Delta Mush", "two-layer skinning", "compressed Direct Delta Mush"};
  return names[model.index()];
}

void validate(const Model& model) {
  std::visit([](const auto& kind) { validate(kind); }, model);
}

Sequence bake(const Model& model, const Run& run) {
  return std::visit([&](const auto& kind) { return bake(kind, run); }, model);
}

std::size_t storage(const Model& model) {
  return std::visit([](const auto& kind) { return storage(kind); }, model);
}

}  // namespace marrow
