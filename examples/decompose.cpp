// Bones and weights from a mesh sequence: decompose [SEQUENCE]
#include <cstdio>
#include <marrow/marrow.hpp>

int main(int argc, char** argv) {
  // Frames of a mesh from a PC2, a GLB or a folder of OBJ files, or else a generated animal.
  const marrow::Sequence walk =
      argc > 1 ? marrow::read_sequence({argv[1]}) : marrow::bake(marrow::synthetic::quadruped());

  const marrow::Result<marrow::Rig> found = marrow::decompose(walk, {.bones = 20, .influences = 4});
  const marrow::Rig& rig = found.value;
  const marrow::Metrics error = marrow::compare(walk, rig);
  std::printf("%zu vertices, %zu frames as %zu bones: RMS %.3f %% of the size, largest %.3f %%\n", rig.vertices(),
              rig.frames(), rig.bones(), error.percent(error.error.rms), error.percent(error.error.max));
  marrow::write_glb(rig, "walk.glb");

  return error.percent(error.error.max) < 1 ? 0 : 1;
}
