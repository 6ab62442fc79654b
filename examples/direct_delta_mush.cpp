// Direct Delta Mush for a skinned character, and its compressed form: direct_delta_mush [CHARACTER.glb]
#include <cstdio>
#include <marrow/marrow.hpp>

int main(int argc, char** argv) {
  const marrow::Rig character = argc > 1 ? marrow::read_rig(argv[1]) : marrow::synthetic::arm();

  const marrow::DdmRig ddm = marrow::make_ddm(character).value;
  const marrow::Sequence full = marrow::bake(ddm);
  const marrow::Metrics change = marrow::compare(full, character);
  std::printf("the plain skin is up to %.2f %% of the size off, %zu bytes\n", change.percent(change.error.max),
              marrow::storage(ddm));
  marrow::write_glb(ddm, "mush.glb");

  const auto ranges = marrow::default_ranges(character.skeleton);
  const marrow::CompressedDdm small = marrow::compress(ddm, {.virtual_bones = 60}, ranges).value;
  const marrow::Metrics loss = marrow::compare(full, small);
  std::printf("compressed: up to %.2f %% off, %zu bytes\n", loss.percent(loss.error.max), marrow::storage(small));
  marrow::write_glb(marrow::bake_virtual_bones(small), "engine.glb");  // plain joints, for any engine

  return loss.error.max < change.error.max ? 0 : 1;
}
