// Time per vertex of dense weights, of four weights and of two layers at four values per vertex, one thread: deform()
// is the scalar reference, bake() uses kernels for plain skins.
#include <benchmark/benchmark.h>

#include <vector>

#include "marrow/decompose.hpp"
#include "marrow/deform.hpp"
#include "marrow/reduce.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/two_layer.hpp"

namespace marrow {
namespace {

const Rig& dense_rig() {
  static const Rig rig = decompose(bake(synthetic::quadruped({.vertices = 6000})),
                                   {.bones = 20, .influences = 20, .kind = BoneKind::flexible, .effort = Effort::fast})
                             .value;
  return rig;
}

const Rig& thin_rig() {
  static const Rig rig = reduce(dense_rig(), {.method = ReduceMethod::klargest}).value;
  return rig;
}

const TwoLayerRig& layers() {
  static const TwoLayerRig rig = compress(dense_rig()).value;
  return rig;
}

template <class Model>
void deform_frames(benchmark::State& state, const Model& model) {
  const Motion& motion = dense_rig().motion;
  std::vector<Vec3> positions(dense_rig().vertices());
  std::size_t t = 0;
  while (state.KeepRunning()) deform(model, motion.frame(t++ % motion.frames()), positions);
  state.SetItemsProcessed(state.iterations() * std::int64_t(positions.size()));
}

template <class Model>
void bake_frames(benchmark::State& state, const Model& model) {
  while (state.KeepRunning()) benchmark::DoNotOptimize(bake(model, {.threads = 1}));
  state.SetItemsProcessed(state.iterations() * std::int64_t(dense_rig().vertices() * dense_rig().frames()));
}

void layers_deform_dense(benchmark::State& state) {
  deform_frames(state, dense_rig());
}
void layers_deform_four(benchmark::State& state) {
  deform_frames(state, thin_rig());
}
void layers_deform_two_layers(benchmark::State& state) {
  deform_frames(state, layers());
}
void layers_bake_dense(benchmark::State& state) {
  bake_frames(state, dense_rig());
}
void layers_bake_four(benchmark::State& state) {
  bake_frames(state, thin_rig());
}
void layers_bake_two_layers(benchmark::State& state) {
  bake_frames(state, layers());
}
BENCHMARK(layers_deform_dense);
BENCHMARK(layers_deform_four);
BENCHMARK(layers_deform_two_layers);
BENCHMARK(layers_bake_dense);
BENCHMARK(layers_bake_four);
BENCHMARK(layers_bake_two_layers);

}  // namespace
}  // namespace marrow
