// A hierarchy with fixed joints from a mesh sequence, in poses that the sequence never had: skeleton [SEQUENCE]
#include <cstdio>
#include <marrow/marrow.hpp>

int main(int argc, char** argv) {
  const marrow::Sequence walk =
      argc > 1 ? marrow::read_sequence({argv[1]}) : marrow::bake(marrow::synthetic::quadruped());

  marrow::Rig rig = marrow::extract_skeleton(walk, {.bones = 20}).value;
  const marrow::Skeleton& skeleton = rig.skeleton;
  for (std::size_t j = 0; j < skeleton.bones(); ++j) {
    const std::int32_t parent = skeleton.parents[j];
    std::printf("%s, child of %s\n", skeleton.names[j].c_str(),
                parent < 0 ? "nothing" : skeleton.names[std::size_t(parent)].c_str());
  }
  const marrow::Metrics error = marrow::compare(walk, rig);
  std::printf("RMS %.3f %% of the size\n", error.percent(error.error.rms));
  // Ten new poses: every joint turns at random, as far as it did in the sequence.
  rig.motion = marrow::sample_poses(skeleton, marrow::ranges_of(skeleton, rig.motion), 10);
  marrow::write_glb(rig, "poses.glb");

  return error.percent(error.error.rms) < 1 ? 0 : 1;
}
