// Kernels of every level against each other and against plain loops, to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/random.hpp"
#include "lbs/bone_tables.hpp"
#include "lbs/dispatch.hpp"
#include "lbs/points.hpp"
#include "lbs/slot_weights.hpp"
#include "lbs/space.hpp"
#include "lbs/weight_solve.hpp"
#include "support/levels.hpp"
#include "support/shapes.hpp"

namespace marrow::lbs {
namespace {

std::vector<double> random_values(Random& random, std::size_t count) {
  std::vector<double> values(count);
  for (double& v : values) v = random.normal();
  return values;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Sums over the rows in order; the columns of C from m on are not touched.
std::vector<double> plain_product(std::size_t rows, std::size_t n, std::size_t m, kernels::MatrixView a,
                                  kernels::MatrixView b, std::vector<double> c, std::size_t stride) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      double sum = 0;
      for (std::size_t r = 0; r < rows; ++r) sum += a.data[r * a.stride + i] * b.data[r * b.stride + j];
      c[i * stride + j] = sum;
    }
  }
  return c;
}

TEST(LbsKernels, ProductsOfEveryLevelHaveTheBitsOfPlainLoops) {
  kernels::LbsKernels levels[3];
  const std::size_t runnable = kernels::runnable_lbs_levels(levels);
  testing::say_skipped_levels(runnable);
  Random random(3);
  for (const std::size_t rows : {0U, 1U, 5U, 127U, 128U, 129U, 300U}) {
    for (const std::size_t n : {1U, 3U, 4U, 5U, 13U}) {
      for (const std::size_t m : {1U, 3U, 4U, 7U, 8U, 15U, 16U, 17U, 33U}) {
        const std::size_t stride = m + random.index(3);
        const std::vector<double> a = random_values(random, rows * (n + 2) + 1),
                                  b = random_values(random, rows * (m + 1) + 1);
        const kernels::MatrixView left{a.data(), n + 2}, right{b.data(), m + 1};
        const std::vector<double> start = random_values(random, n * stride);
        const std::vector<double> expected = plain_product(rows, n, m, left, right, start, stride);
        for (std::size_t level = 0; level < runnable; ++level) {
          std::vector<double> c = start;
          levels[level].product(rows, n, m, left, right, c.data(), stride);
          EXPECT_TRUE(same_bits(c, expected))
              << testing::level_names[level] << ", " << rows << " rows, " << n << " x " << m;
        }
      }
    }
  }
}

/// A random cloud that moves at random, and bones that do too.
struct Question {
  std::size_t vertices, bones, influences;
  Space space;
  Points points;
  BoneTables tables;
  std::vector<double> towards, stiffness, constant;  ///< a pull as springs give it

  static Sequence cloud(Random& random, std::size_t count) {
    Mesh mesh;
    for (std::size_t i = 0; i < count; ++i) mesh.positions.push_back(testing::random_point(random));
    return testing::random_sequence(random, mesh, 3 + random.index(5));
  }
  static Bones moving(Random& random, std::size_t frames, std::size_t count) {
    Bones bones = identity_bones(frames, count);
    for (double* v = bones.data(); v != bones.data() + bones.size(); ++v) *v += 0.5 * random.normal();
    return bones;
  }

  Question(Random random, std::size_t vertex_count, std::size_t bone_count, std::size_t most)
      : Question(random, cloud(random, vertex_count), bone_count, most) {}
  Question(Random& random, const Sequence& sequence, std::size_t bone_count, std::size_t most)
      : vertices(sequence.vertices()),
        bones(bone_count),
        influences(std::min(most, bone_count)),
        space(make_space(sequence, 0.01, {})),
        points(make_points(sequence, space, {}, {})),
        tables(space, moving(random, sequence.frames(), bone_count), points.rank, influences, {}),
        towards(random_values(random, lanes * bone_count)),
        stiffness(lanes, 0.25),
        constant(lanes, 0.125) {
    for (double& t : towards) t *= 0.01;
  }
};

/// Everything that the kernels of a level answer, in a row: errors of single bones, weights from scratch, weights with
/// a pull from those, and what each bone is worth.
std::vector<double> answers(const kernels::WeightKernels& level, const Question& question) {
  SlotWeights weights;
  weights.resize(question.points.blocks(), question.influences);
  std::vector<double> scratch(kernels::weight_scratch(question.bones, question.influences)), result;
  const auto keep = [&](const auto& values, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) result.push_back(double(values[k]));
  };
  for (std::size_t b = 0; b < question.points.blocks(); ++b) {
    kernels::WeightBlock block = block_of(question.points, question.points.rest, weights, b, scratch);
    std::vector<double> singles(question.bones * lanes), losses(lanes * question.influences);
    level.single_errors(question.tables.problem(), block.coordinates, block.rest, block.squared, singles.data());
    keep(singles, singles.size());
    for (const bool pulled : {false, true}) {
      if (pulled) block.pull = {question.towards.data(), question.stiffness.data(), question.constant.data()};
      level.weights(question.tables.problem(), block);
      for (std::size_t lane = 0; lane < block.count; ++lane) {
        keep(block.support + lane * block.slots, block.used[lane]);
        keep(block.weight + lane * block.slots, block.used[lane]);
      }
      keep(block.error, block.count);
    }
    block.pull = {};
    level.losses(question.tables.problem(), block, losses.data());
    for (std::size_t lane = 0; lane < block.count; ++lane) {
      keep(losses.data() + lane * block.slots, block.used[lane]);
    }
  }
  return result;
}

TEST(LbsKernels, WeightsOfEveryLevelHaveTheSameBits) {
  kernels::LbsKernels levels[3];
  const std::size_t runnable = kernels::runnable_lbs_levels(levels);
  testing::say_skipped_levels(runnable);
  for (const std::size_t vertices : {1U, 7U, 8U, 29U}) {
    for (const std::size_t bones : {1U, 2U, 3U, 8U, 15U, 33U}) {
      for (const std::size_t influences : {1U, 3U, 4U, 7U}) {
        const Question question(Random(vertices + 100 * bones), vertices, bones, influences);
        const std::vector<double> expected = answers(levels[0].weights, question);
        for (std::size_t level = 1; level < runnable; ++level) {
          EXPECT_TRUE(same_bits(answers(levels[level].weights, question), expected))
              << testing::level_names[level] << ", " << vertices << " vertices, " << bones << " bones, " << influences
              << " influences";
        }
      }
    }
  }
}

}  // namespace
}  // namespace marrow::lbs
