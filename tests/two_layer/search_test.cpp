// How atoms are looked for, against plain loops in double.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstring>
#include <set>

#include "core/random.hpp"
#include "lbs/pose_problem.hpp"
#include "marrow/deform.hpp"
#include "support/levels.hpp"
#include "two_layer/atoms.hpp"
#include "two_layer/far_atoms.hpp"
#include "two_layer/kernels/search.hpp"
#include "two_layer/layers.hpp"
#include "two_layer/new_atoms.hpp"
#include "two_layer/pose_search.hpp"
#include "two_layer/to_layers.hpp"

namespace marrow::two_layer {
namespace {

constexpr std::size_t row_length = kernels::code_stride, tile_size = kernels::atom_lanes;

std::vector<float> random_values(Random& random, std::size_t count) {
  std::vector<float> values(count);
  for (float& v : values) v = float(random.normal());
  return values;
}

/// Rows that sum to 1, of which some values are 0.
std::vector<float> random_rows(Random& random, std::size_t rows, std::size_t bones) {
  std::vector<float> values(rows * bones);
  for (std::size_t j = 0; j < rows; ++j) {
    float sum = 0;
    for (std::size_t x = 0; x < bones; ++x) {
      const double v = random.normal();
      values[j * bones + x] = x == 0 || v > 0 ? float(std::abs(v)) + 0.01f : 0.0f;
      sum += values[j * bones + x];
    }
    for (std::size_t x = 0; x < bones; ++x) values[j * bones + x] /= sum;
  }
  return values;
}

Eigen::VectorXd row_of(const float* values, std::size_t count) {
  return Eigen::Map<const Eigen::VectorXf>(values, Eigen::Index(count)).cast<double>();
}

/// The nearest point to the origin between two.
struct Nearest {
  double error, t;
};
Nearest between(const Eigen::VectorXd& from, const Eigen::VectorXd& to) {
  const Eigen::VectorXd way = to - from;
  const double length = way.squaredNorm(), t = length > 0 ? std::clamp(-from.dot(way) / length, 0.0, 1.0) : 0;
  return {(from + t * way).squaredNorm(), t};
}

/// Everything that the kernels of a level answer to the same questions, in a row.
std::vector<float> answers(const kernels::SearchKernels& level, std::size_t bones, std::size_t count) {
  Random random(bones + count);
  std::vector<float> gram(row_length * row_length, 0.5f), errors(row_length * row_length), least(row_length);
  const std::vector<float> columns = random_values(random, bones * row_length);
  level.add_product(bones, count, columns.data(), columns.data(), gram.data());
  level.pair_errors(gram.data(), count, 0, 1, errors.data(), least.data());
  std::vector<float> result;
  for (std::size_t r = 0; r < count; ++r) {
    result.insert(result.end(), &gram[r * row_length], &gram[r * row_length] + count);
    if (r + 1 < count) result.insert(result.end(), &errors[r * row_length + r + 1], &errors[r * row_length] + count);
  }
  if (count > 1) result.insert(result.end(), least.begin(), least.begin() + std::ptrdiff_t(count - 1));
  float diagonal[row_length] = {}, gains[2][row_length] = {};
  for (std::size_t c = 0; c < count; ++c) diagonal[c] = gram[c * row_length + c];
  const std::uint32_t blended[] = {0, std::uint32_t(count - 1)};
  const float parts[] = {0.75f, 0.25f};
  for (const bool backwards : {false, true}) {
    float* row = gains[backwards ? 1 : 0];
    level.line_gains(gram.data(), diagonal, count, {2, blended, parts, 1}, backwards, row);
    result.insert(result.end(), row, row + count);
  }
  const std::vector<float> tiles = random_values(random, count * bones * tile_size), w = random_values(random, bones);
  const kernels::AtomTiles atoms{count, bones, tiles.data()};
  std::vector<float> distances(count * tile_size), nearest(count);
  level.distances(atoms, w.data(), distances.data(), nearest.data());
  const std::vector<float> differences = random_values(random, bones * kernels::partnered_atoms);
  float norms[kernels::partnered_atoms] = {};
  for (std::size_t e = 0; e < differences.size(); ++e) {
    norms[e % kernels::partnered_atoms] += differences[e] * differences[e];
  }
  std::uint32_t partners[kernels::partnered_atoms];
  level.partners(atoms, {w.data(), distances.data(), differences.data(), norms}, partners);
  result.insert(result.end(), distances.begin(), distances.end());
  result.insert(result.end(), nearest.begin(), nearest.end());
  for (const std::uint32_t p : partners) result.push_back(float(p));
  const std::vector<float> squares = random_values(random, count * 3 * tile_size), moments = random_values(random, 3),
                           turned = random_values(random, bones * (kernels::line_count + 1));
  const kernels::Line starts[kernels::line_count] = {{1, 2}, {3, -4}, {5, 6}, {0.5f, 0}, {0, 1}};
  const std::vector<float> three = random_values(random, 3 * bones);
  const float* moves = bones % 2 == 0 ? nullptr : three.data();
  std::vector<float> changes(kernels::line_count * count * tile_size), best(kernels::line_count * count);
  level.lines(atoms, {count, 3, squares.data()}, {turned.data(), moments.data(), moves}, starts, changes.data(),
              best.data());
  const std::vector<float> form = random_values(random, bones * bones);
  std::vector<float> turned_columns(bones * row_length), contracted(bones);
  level.turn(bones, count, form.data(), columns.data(), turned_columns.data());
  level.contract(bones, bones, form.data(), w.data(), contracted.data());
  for (std::size_t a = 0; a < bones; ++a) {
    const auto row = turned_columns.begin() + std::ptrdiff_t(a * row_length);
    result.insert(result.end(), row, row + std::ptrdiff_t(count));
  }
  result.insert(result.end(), contracted.begin(), contracted.end());
  result.insert(result.end(), changes.begin(), changes.end());
  result.insert(result.end(), best.begin(), best.end());
  return result;
}

TEST(TwoLayerSearch, EveryKernelLevelGivesTheSameBits) {
  kernels::SearchKernels levels[3];
  const std::size_t runnable = kernels::runnable_search_levels(levels);
  testing::say_skipped_levels(runnable);
  for (const std::size_t bones : {1U, 7U, 40U}) {
    for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 48U}) {
      const std::vector<float> expected = answers(levels[0], bones, count);
      for (std::size_t level = 1; level < runnable; ++level) {
        const std::vector<float> got = answers(levels[level], bones, count);
        ASSERT_EQ(got.size(), expected.size());
        EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0)
            << "level " << testing::level_names[level] << ", " << bones << " bones, " << count;
      }
    }
  }
}

TEST(TwoLayerSearch, GainsAlongLinesAreThoseOfTheirBestPoints) {
  Random random(5);
  constexpr std::size_t bones = 6, count = 20;
  std::vector<float> columns(bones * row_length), gram(row_length * row_length);
  for (std::size_t x = 0; x < bones; ++x) {
    for (std::size_t c = 0; c < count; ++c) columns[x * row_length + c] = float(random.normal());
  }
  kernels::search_kernels().add_product(bones, count, columns.data(), columns.data(), gram.data());
  const auto column = [&](std::size_t c) {
    auto v = Eigen::VectorXd(Eigen::Index(bones));
    for (std::size_t x = 0; x < bones; ++x) v[Eigen::Index(x)] = columns[x * row_length + c];
    return v;
  };
  float diagonal[row_length] = {}, gains[row_length];
  for (std::size_t c = 0; c < count; ++c) diagonal[c] = gram[c * row_length + c];
  const std::uint32_t blended[] = {3, 7};
  const float parts[] = {0.25f, 0.75f};
  const Eigen::VectorXd blend = 0.25 * column(3) + 0.75 * column(7);
  for (const bool backwards : {false, true}) {
    kernels::search_kernels().line_gains(gram.data(), diagonal, count, {2, blended, parts, float(blend.squaredNorm())},
                                         backwards, gains);
    for (std::size_t c = 0; c < count; ++c) {
      const Eigen::VectorXd way = column(c) - blend;
      const double t = -blend.dot(way) / way.squaredNorm();
      const double expected = t > 0 || backwards ? blend.squaredNorm() - (blend + t * way).squaredNorm() : 0;
      EXPECT_NEAR(gains[c], expected, 1e-4) << c;
    }
  }
}

TEST(TwoLayerSearch, AtomsOfAStepShareNoVertexAndOthersKeepTheirOrder) {
  Random random(8);
  constexpr std::uint32_t atoms = 40, vertices = 300;
  Coding coding(vertices);
  for (Code& code : coding) {
    code = {.count = 2, .atoms = {std::uint32_t(random.uniform() * atoms), 0}, .values = {0.5f, 0.5f}};
    code.atoms[1] = (code.atoms[0] + 1 + std::uint32_t(random.uniform() * 3)) % atoms;
  }
  const SweepOrder order(users_of(coding, atoms), vertices);
  std::vector<std::size_t> step_of(atoms, atoms);
  for (std::size_t s = 0; s < order.steps(); ++s) {
    for (const std::uint32_t j : order.step(s)) {
      EXPECT_EQ(step_of[j], atoms) << "twice";
      step_of[j] = s;
    }
  }
  EXPECT_EQ(std::ranges::count(step_of, atoms), 0) << "left out";
  for (const Code& code : coding) {
    EXPECT_NE(step_of[code.atoms[0]], step_of[code.atoms[1]]);
    EXPECT_EQ(step_of[code.atoms[0]] < step_of[code.atoms[1]], code.atoms[0] < code.atoms[1]);
  }
  EXPECT_LT(order.steps(), atoms);
}

TEST(TwoLayerSearch, AtomsFromAnywhereAreTheNearestAndTheirBestPartners) {
  Random random(3);
  for (const std::size_t m : {1U, 5U, 16U, 77U}) {
    const std::size_t k = 9;
    const Dictionary dictionary{k, random_rows(random, m, k)};
    const DenseWeights weights{30, k, random_rows(random, 30, k)};
    const FarAtoms far(weights, dictionary);
    AtomSearch::Scratch scratch;
    for (std::size_t i = 0; i < 30; ++i) {
      const Eigen::VectorXd w = row_of(weights.row(i), k);
      std::vector<Eigen::VectorXd> atoms;
      std::vector<double> sorted;
      for (std::size_t j = 0; j < m; ++j) {
        atoms.emplace_back(row_of(dictionary.row(j), k) - w);
        sorted.push_back(atoms.back().squaredNorm());
      }
      std::sort(sorted.begin(), sorted.end());
      const auto found = far.find(i, {}, scratch);
      const std::size_t nearest = std::min<std::size_t>(12, m), partnered = std::min<std::size_t>(8, m);
      ASSERT_EQ(found.size(), nearest + partnered);
      for (std::size_t q = 0; q < nearest; ++q) {
        ASSERT_NEAR(atoms[found[q]].squaredNorm(), sorted[q], 1e-6) << m << " atoms, place " << q;
      }
      for (std::size_t q = 0; q < partnered; ++q) {
        double best = INFINITY;
        for (const Eigen::VectorXd& other : atoms) best = std::min(best, between(atoms[found[q]], other).error);
        ASSERT_LT(found[nearest + q], m);
        ASSERT_NEAR(between(atoms[found[q]], atoms[found[nearest + q]]).error, best, 1e-6) << m << " atoms, for " << q;
      }
    }
  }
}

/// The least change of the error of vertex i between `from` and an atom, as the metric has it.
double change_towards(const PoseMetric& metric, const DenseWeights& weights, std::size_t i, const Eigen::VectorXd& from,
                      const float* atom) {
  const std::size_t k = weights.bones;
  Differences both{2, std::vector<float>(k * row_length)};
  for (std::size_t x = 0; x < k; ++x) {
    both.values[x * row_length] = float(from[Eigen::Index(x)]) - weights.row(i)[x];
    both.values[x * row_length + 1] = atom[x] - weights.row(i)[x];
  }
  GramScratch scratch;
  Gram gram;
  metric.gram(i, both, scratch, gram);
  const std::uint32_t ends[] = {0, 1};
  return double(best_blend(gram.data(), 2, ends, Sign::convex).error) - gram[0];
}

/// `free`: the rest pose may move.
void expect_the_best_for_the_poses(bool free) {
  const Rig rig = testing::smooth_rig(synthetic::arm({.vertices = 60, .frames = 9}));
  const Sequence target = bake(synthetic::arm({.vertices = 60, .frames = 9}));
  const DenseWeights weights = dense(rig.weights, rig.bones());
  const lbs::PoseProblem problem(rig, rig.motion, &target, {});
  const PoseMetric::RestFreedom freedom{weights, problem.points.rest, 0.05};
  const PoseMetric metric(weights, problem.factor, problem.points, {}, free ? &freedom : nullptr);
  Random random(5);
  const Dictionary dictionary{rig.bones(), random_rows(random, 70, rig.bones())};
  const PoseSearch search(weights, metric, dictionary);
  AtomSearch::Scratch scratch;
  const Code code{.count = 3, .atoms = {4, 20, 33}, .values = {0.5f, 0.3f, 0.2f}};
  for (std::size_t i = 0; i < weights.vertices; i += 7) {
    const auto found = search.find(i, code, scratch);
    ASSERT_EQ(found.size(), 20u);
    for (std::uint32_t line = 0; line < 4; ++line) {
      Eigen::VectorXd from = Eigen::VectorXd::Zero(Eigen::Index(rig.bones()));
      double sum = 0;
      for (std::uint32_t s = 0; s < 3; ++s) {
        if (s + 1 == line) continue;
        from += code.values[s] * row_of(dictionary.row(code.atoms[s]), rig.bones());
        sum += code.values[s];
      }
      from /= sum;
      std::vector<double> changes;
      for (std::size_t j = 0; j < 70; ++j) {
        changes.push_back(change_towards(metric, weights, i, from, dictionary.row(j)));
      }
      std::vector<double> sorted = changes;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t q = 0; q < 5; ++q) {
        ASSERT_NEAR(changes[found[line * 5 + q]], sorted[q], 1e-3 * std::abs(sorted[0]) + 1e-7)
            << "vertex " << i << ", line " << line << ", place " << q;
      }
    }
  }
}

TEST(TwoLayerSearch, AtomsFromAnywhereAreTheBestForThePoses) {
  expect_the_best_for_the_poses(false);
}

TEST(TwoLayerSearch, AtomsFromAnywhereAreTheBestWhereTheRestPoseMayMove) {
  expect_the_best_for_the_poses(true);
}

/// Of a dictionary that is too large to look at for everybody, each vertex sees 4096 atoms, and not all the same.
TEST(TwoLayerSearch, OfLargeDictionariesAPartIsLookedAt) {
  const Rig rig = testing::smooth_rig(synthetic::arm({.vertices = 60, .frames = 9}));
  const Sequence target = bake(rig);
  const DenseWeights weights = dense(rig.weights, rig.bones());
  const PoseMetric metric(weights, lbs::PoseProblem(rig, rig.motion, &target, {}), {});
  Random random(6);
  const std::size_t atoms = 6005, seen = 4096, tiles = (atoms + tile_size - 1) / tile_size;
  const Dictionary dictionary{rig.bones(), random_rows(random, atoms, rig.bones())};
  const PoseSearch search(weights, metric, dictionary);
  AtomSearch::Scratch scratch;
  std::set<std::size_t> parts;
  for (std::size_t i = 0; i < weights.vertices; i += 6) {
    const auto found = search.find(i, {.count = 1, .atoms = {9}, .values = {1}}, scratch);
    ASSERT_EQ(found.size(), 5u);
    const std::size_t first = i * 97 % (tiles - seen / tile_size + 1) * tile_size;
    parts.insert(first);
    const Eigen::VectorXd from = row_of(dictionary.row(9), rig.bones());
    double least = 0;
    for (std::size_t j = first; j < std::min(first + seen, atoms); ++j) {
      least = std::min(least, change_towards(metric, weights, i, from, dictionary.row(j)));
    }
    for (const std::uint32_t j : found) {
      ASSERT_GE(j, first);
      ASSERT_LT(j, std::min(first + seen, atoms));
    }
    EXPECT_NEAR(change_towards(metric, weights, i, from, dictionary.row(found[0])), least,
                1e-3 * std::abs(least) + 1e-7);
  }
  EXPECT_GT(parts.size(), 3u);
}

/// What a new atom wins, with every vertex around blended anew.
double win_by_trial(const DenseWeights& weights, const Neighbours& around, const Dictionary& dictionary,
                    const Coding& coding, const ValuePrices& prices, std::size_t slots, std::size_t p) {
  std::vector<std::uint32_t> vertices{std::uint32_t(p)};
  vertices.insert(vertices.end(), around.of(p).begin(), around.of(p).end());
  const std::size_t k = weights.bones;
  const Eigen::VectorXd atom = row_of(weights.row(p), k);
  double win = 0, phi = 0;
  for (const std::uint32_t i : vertices) {
    const Code& code = coding[i];
    const Eigen::VectorXd w = row_of(weights.row(i), k);
    const auto blended = [&](std::uint32_t without) {
      Eigen::VectorXd x = Eigen::VectorXd::Zero(w.size());
      double sum = 0;
      for (std::uint32_t s = 0; s < code.count; ++s) {
        if (s == without) continue;
        sum += code.values[s];
        x += code.values[s] * row_of(dictionary.row(code.atoms[s]), k);
      }
      return Eigen::VectorXd(x / sum - w);
    };
    const Eigen::VectorXd now = blended(max_slots);
    double best = now.squaredNorm() - (atom - w).squaredNorm() + prices.coefficient * (code.count - 1.0), t = 1;
    const auto consider = [&](const Eigen::VectorXd& from, double price) {
      const Nearest found = between(from, atom - w);
      if (const double gain = now.squaredNorm() - found.error - price; gain > best) {
        best = gain;
        t = found.t;
      }
    };
    if (code.count < slots) consider(now, prices.coefficient);
    for (std::uint32_t s = 0; code.count > 1 && s < code.count; ++s) consider(blended(s), 0);
    if (!(best > 0)) continue;
    win += best;
    phi += t * t;
  }
  for (const double v : atom) win -= std::min(prices.atom_value, phi * v * v);
  return win;
}

TEST(TwoLayerSearch, WinsOfNewAtomsAreThoseOfATrial) {
  const Rig rig = testing::smooth_rig(synthetic::arm({.vertices = 150, .frames = 2}));
  const DenseWeights weights = dense(rig.weights, rig.bones());
  const Neighbours around = within_two_edges(mesh_neighbours(rig.mesh));
  Random random(8);
  const Dictionary dictionary{rig.bones(), random_rows(random, 12, rig.bones())};
  const std::size_t slots = 3;
  Coding coding(weights.vertices, {.count = 1, .atoms = {0}, .values = {1}});
  Coded coded;
  const WeightMetric metric;
  const Given given{weights, metric, around};
  code_vertices(given, dictionary, {.slots = slots, .price = 1e-3, .reach = Reach::everywhere}, coding, coded, {});
  for (const ValuePrices& prices : {ValuePrices{0, 0}, ValuePrices{1e-3, 1e-3}, ValuePrices{0.02, 0.1}}) {
    // Half of the vertices are hoped for, and the others are not tried.
    std::vector<float> hopes(weights.vertices);
    for (std::size_t p = 0; p < hopes.size(); ++p) hopes[p] = float(p % 2);
    const std::vector<float> wins = wins_of_new_atoms(given, dictionary, coding, prices, hopes, slots, {});
    for (std::size_t p = 0; p < weights.vertices; ++p) {
      if (hopes[p] == 0) {
        ASSERT_EQ(wins[p], 0);
        continue;
      }
      const double expected = win_by_trial(weights, around, dictionary, coding, prices, slots, p);
      ASSERT_NEAR(wins[p], expected, 1e-4 * std::abs(expected) + 1e-4) << "vertex " << p;
    }
    // By a metric that is the same, and with a cost for the whole atom.
    const double price = prices.coefficient;
    const std::vector<float> free =
        wins_of_new_atoms(given, dictionary, coding, ValuePrices{price, 0}, hopes, slots, {});
    const std::vector<float> by_metric =
        wins_of_new_atoms(given, dictionary, coding, AtomPrices{price, 0.25}, hopes, slots, {});
    for (std::size_t p = 1; p < weights.vertices; p += 2) {
      ASSERT_NEAR(by_metric[p], free[p] - 0.25, 1e-4 * std::abs(free[p]) + 1e-4) << "vertex " << p;
    }
  }
}

}  // namespace
}  // namespace marrow::two_layer
