// The general program over the simplex against the special forms that solvers have beside it, on the sizes in use.
#include <benchmark/benchmark.h>

#include <vector>

#include "core/random.hpp"
#include "lbs/dispatch.hpp"
#include "lbs/pose_problem.hpp"
#include "lbs/simplex_qp.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/weight_solve.hpp"
#include "marrow/synthetic.hpp"
#include "reduction/vertex_search.hpp"
#include "two_layer/atoms.hpp"
#include "two_layer/blend.hpp"

namespace marrow {
namespace {

constexpr std::size_t programs = 256;
constexpr std::size_t stride = two_layer::Differences::stride;

/// Gram matrices of random vectors whose best blend has all of them, as is usual, or not.
std::vector<two_layer::Gram> grams(std::size_t count) {
  Random random(1);
  std::vector<two_layer::Gram> all(programs, two_layer::Gram(count * stride));
  for (two_layer::Gram& gram : all) {
    std::vector<double> vectors(count * 8);
    for (double& v : vectors) v = random.normal() + 0.3;
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t s = 0; s < count; ++s) {
        double dot = 0;
        for (std::size_t q = 0; q < 8; ++q) dot += vectors[r * 8 + q] * vectors[s * 8 + q];
        gram[r * stride + s] = float(dot);
      }
    }
  }
  return all;
}

/// Coefficients of a vertex in two layers: the closed form.
void BM_BlendClosedForm(benchmark::State& state) {
  const auto count = std::size_t(state.range(0));
  const std::vector<two_layer::Gram> all = grams(count);
  const std::uint32_t candidates[] = {0, 1, 2, 3};
  for (auto _ : state) {
    for (const two_layer::Gram& gram : all) {
      benchmark::DoNotOptimize(two_layer::best_blend(gram.data(), count, candidates, two_layer::Sign::convex));
    }
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t(programs));
}
BENCHMARK(BM_BlendClosedForm)->DenseRange(2, 4);

void BM_BlendGeneral(benchmark::State& state) {
  const auto count = std::size_t(state.range(0));
  const std::vector<two_layer::Gram> all = grams(count);
  lbs::SimplexQp program(count);
  for (auto _ : state) {
    for (const two_layer::Gram& gram : all) {
      for (std::size_t r = 0; r < count; ++r) {
        for (std::size_t s = 0; s < count; ++s) program.matrix()[r * count + s] = gram[r * stride + s];
      }
      double weights[4] = {1};
      benchmark::DoNotOptimize(program.solve(count, weights));
    }
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t(programs));
}
BENCHMARK(BM_BlendGeneral)->DenseRange(2, 4);

std::vector<double> targets(std::size_t count) {
  Random random(2);
  std::vector<double> values(count);
  for (double& v : values) v = random.normal() / double(count) + (random.uniform() < 0.1 ? 0.3 : 0);
  return values;
}

/// Values of an atom by weights alone: the nearest point of the simplex, by sorting.
void BM_ProjectSorted(benchmark::State& state) {
  const std::vector<double> given = targets(std::size_t(state.range(0)));
  const std::vector<std::uint8_t> support(given.size(), 1);
  std::vector<double> values, scratch;
  for (auto _ : state) {
    values = given;
    two_layer::project_to_simplex(values, support.data(), two_layer::Sign::convex, scratch);
    benchmark::DoNotOptimize(values.data());
  }
}
BENCHMARK(BM_ProjectSorted)->Arg(12)->Arg(40)->Arg(80);

void BM_ProjectGeneral(benchmark::State& state) {
  const std::vector<double> given = targets(std::size_t(state.range(0)));
  const std::size_t count = given.size();
  lbs::SimplexQp program(count);
  for (std::size_t j = 0; j < count; ++j) {
    program.matrix()[j * count + j] = 1;
    program.linear()[j] = given[j];
  }
  std::vector<double> values;
  for (auto _ : state) {
    values.assign(count, 1 / double(count));
    benchmark::DoNotOptimize(program.solve(count, values.data()));
  }
}
BENCHMARK(BM_ProjectGeneral)->Arg(12)->Arg(40)->Arg(80);

struct Skin {
  Rig rig;
  lbs::PoseProblem problem;
  kernels::WeightProblem tables;

  explicit Skin(std::size_t bones)
      : rig(synthetic::shells({.vertices = 2000, .frames = 30}, bones)),
        problem(rig, rig.motion, nullptr, {}),
        tables(problem.tables.problem()) {
    tables.influences = 4;
  }
};

/// Up to four bones of a vertex, greedy and one round of exchange: the kernel of the weight solve.
void BM_WeightsKernel(benchmark::State& state) {
  const Skin skin{std::size_t(state.range(0))};
  const lbs::Points& points = skin.problem.points;
  lbs::SlotWeights slots;
  std::vector<double> scratch(kernels::weight_scratch(skin.tables.bones, 4));
  for (auto _ : state) {
    slots.resize(points.blocks(), 4);
    for (std::size_t b = 0; b < points.blocks(); ++b) {
      kernels::weight_kernels().weights(skin.tables, lbs::block_of(points, points.rest, slots, b, scratch));
    }
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t(points.count));
}
BENCHMARK(BM_WeightsKernel)->Arg(12)->Arg(40)->Unit(benchmark::kMillisecond);

/// The same greedy growth, without any exchange, by the general program.
void BM_WeightsGeneral(benchmark::State& state) {
  const Skin skin{std::size_t(state.range(0))};
  const lbs::Points& points = skin.problem.points;
  reduction::VertexSearch search(skin.tables, 4);
  std::vector<double> singles(skin.tables.bones * lbs::lanes);
  reduction::VertexFit fit;
  for (auto _ : state) {
    for (std::size_t i = 0; i < points.count; ++i) {
      const std::size_t b = i / lbs::lanes, lane = i % lbs::lanes;
      const double *rest = points.rest.data() + b * 3 * lbs::lanes, *squared = points.squared.data() + b * lbs::lanes;
      if (lane == 0) {
        kernels::weight_kernels().single_errors(skin.tables, points.block_coordinates(b), rest, squared,
                                                singles.data());
      }
      search.start(rest + lane, singles.data() + lane, squared[lane]);
      fit.clear();
      std::uint32_t nearest = 0;
      for (std::uint32_t j = 1; j < skin.tables.bones; ++j) {
        if (singles[j * lbs::lanes + lane] < singles[nearest * lbs::lanes + lane]) nearest = j;
      }
      fit.push(nearest, 1);
      search.solve(fit);
      search.grow(fit, 4);
      benchmark::DoNotOptimize(fit.error);
    }
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t(points.count));
}
BENCHMARK(BM_WeightsGeneral)->Arg(12)->Arg(40)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace marrow
