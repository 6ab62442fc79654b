#include <cstdio>
#include <marrow/marrow.hpp>

int main() {
  const marrow::Rig rig = marrow::synthetic::arm({.vertices = 500, .frames = 5});
  const marrow::Sequence frames = marrow::bake(rig);
  const marrow::Metrics metrics = marrow::compare(frames, rig);
  std::printf("marrow %s: %zu vertices, %zu bones, E_RMS %g\n", MARROW_VERSION, rig.vertices(), rig.bones(),
              metrics.e_rms);
  return metrics.e_rms == 0 && rig.bones() > 1 ? 0 : 1;
}
