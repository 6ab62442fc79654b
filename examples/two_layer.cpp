// Dense weights in two thin layers: two_layer [SEQUENCE]
#include <cstdio>
#include <marrow/marrow.hpp>

int main(int argc, char** argv) {
  const marrow::Sequence walk =
      argc > 1 ? marrow::read_sequence({argv[1]}) : marrow::bake(marrow::synthetic::quadruped());

  // A rig in which every vertex may follow every bone, as solvers and heat maps make them.
  const marrow::Rig dense =
      marrow::decompose(walk, {.bones = 20, .influences = 20, .kind = marrow::BoneKind::flexible}).value;
  // Four blending operations per vertex; the frames say which differences matter.
  const marrow::TwoLayerRig small = marrow::compress(dense, {.bones_per_vertex = 4}, &walk).value;
  const double before = marrow::compare(walk, dense).e_rms, after = marrow::compare(walk, small).e_rms;
  std::printf("%zu virtual bones, %.2f values per vertex, %zu bytes: E_RMS %.3f, dense %.3f\n",
              small.virtual_bone_count(), small.bones_per_vertex(), marrow::storage(small), after, before);
  marrow::write_glb(small, "layers.glb");

  return after < 4 * before ? 0 : 1;
}
