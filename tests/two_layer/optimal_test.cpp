// All pairs of virtual bones tried.
#include <gtest/gtest.h>

#include "two_layer/layers.hpp"

namespace marrow {
namespace {

using testing::blend;
using testing::blended_rows;
using testing::Rows;
using testing::smooth_rig;

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t x = 0; x < a.size(); ++x) sum += (a[x] - b[x]) * (a[x] - b[x]);
  return sum;
}

/// From a point to the segment between two others.
double to_segment(const std::vector<double>& w, const std::vector<double>& a, const std::vector<double>& b) {
  double along = 0, length = 0;
  for (std::size_t x = 0; x < w.size(); ++x) {
    along += (w[x] - b[x]) * (a[x] - b[x]);
    length += (a[x] - b[x]) * (a[x] - b[x]);
  }
  const double t = length > 0 ? std::clamp(along / length, 0.0, 1.0) : 0;
  double sum = 0;
  for (std::size_t x = 0; x < w.size(); ++x) {
    const double e = b[x] + t * (a[x] - b[x]) - w[x];
    sum += e * e;
  }
  return sum;
}

TEST(TwoLayerOptimal, NearlyAllVerticesHaveTheBestPairOfAll) {
  std::size_t found = 0, tried = 0;
  double got_sum = 0, best_sum = 0;
  for (const Rig& rig : {smooth_rig(synthetic::quadruped({.vertices = 500, .frames = 4})),
                         smooth_rig(synthetic::arm({.vertices = 400, .frames = 4})),
                         smooth_rig(synthetic::shells({.vertices = 400, .frames = 4}, 9))}) {
    for (const std::size_t count : {15U, 40U}) {
      const CompressOptions options{.virtual_bones = count, .coefficients = 2, .effort = Effort::best};
      const TwoLayerRig result = compress(rig, options).value;
      Rows bones(rig.bones(), std::vector<double>(rig.bones()));
      for (std::size_t j = 0; j < bones.size(); ++j) bones[j][j] = 1;
      const Rows atoms = blend(result.virtual_bones, bones), now = blend(result.weights, atoms);
      const Rows wanted = testing::dense_rows(rig.weights, rig.bones());
      for (std::size_t i = 0; i < rig.vertices(); ++i) {
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t a = 0; a < atoms.size(); ++a) {
          for (std::size_t b = 0; b <= a; ++b) best = std::min(best, to_segment(wanted[i], atoms[a], atoms[b]));
        }
        const double got = distance(wanted[i], now[i]);
        ASSERT_GE(got, best * (1 - 1e-3) - 1e-9) << "better than the best: the test is wrong";
        ++tried;
        if (got <= best * (1 + 1e-3) + 1e-9) ++found;
        got_sum += got;
        best_sum += best;
      }
    }
  }
  RecordProperty("found", int(found));
  RecordProperty("tried", int(tried));
  EXPECT_GE(double(found), 0.99 * double(tried)) << found << " of " << tried;
  EXPECT_LE(got_sum, 1.01 * best_sum);
}

}  // namespace
}  // namespace marrow
