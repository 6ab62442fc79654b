// Two bones per vertex where there were four: reduce [RIG.glb]
#include <cstdio>
#include <marrow/marrow.hpp>

int main(int argc, char** argv) {
  const marrow::Rig rig = argc > 1 ? marrow::read_rig(argv[1]) : marrow::synthetic::quadruped();

  const marrow::Sequence original = marrow::bake(rig);
  const marrow::Rig best = marrow::reduce(rig, {.influences = 2}).value;
  const marrow::Rig cut = marrow::reduce(rig, {.influences = 2, .method = marrow::ReduceMethod::klargest}).value;
  const double error_of_best = marrow::compare(original, best).e_rms;
  const double error_of_cut = marrow::compare(original, cut).e_rms;
  std::printf("E_RMS %.3f; the two largest weights: %.3f\n", error_of_best, error_of_cut);
  marrow::write_glb(best, "phone.glb");

  return error_of_best <= error_of_cut ? 0 : 1;
}
