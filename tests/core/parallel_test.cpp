#include "core/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "marrow/error.hpp"

namespace marrow {
namespace {

double chunked_sum(int threads) {
  constexpr std::size_t count = 100'003, grain = 1000;
  std::vector<double> partial((count + grain - 1) / grain);
  parallel_for(marrow::Run{.threads = threads}, count, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) partial[begin / grain] += 1.0 / double(1 + i * i % 977);
  });
  double sum = 0;
  for (const double p : partial) sum += p;
  return sum;
}

TEST(Parallel, SumsAreTheSameForAnyThreadCount) {
  const double one = chunked_sum(1);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(chunked_sum(threads), one);
}

TEST(Parallel, EveryIndexIsVisitedOnce) {
  std::vector<std::atomic<int>> visits(1001);
  parallel_for({}, visits.size(), 10, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++visits[i];
  });
  for (const auto& v : visits) EXPECT_EQ(v, 1);
}

TEST(Parallel, StopEndsTheLoop) {
  std::stop_source source;
  std::atomic<int> calls = 0;
  const marrow::Run run{.stop = source.get_token(), .threads = 2};
  try {
    parallel_for(run, 10'000, 1, [&](std::size_t, std::size_t) {
      if (++calls == 5) source.request_stop();
    });
    FAIL() << "did not stop";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::stopped);
  }
  EXPECT_LT(calls, 100);
}

TEST(Parallel, ReportsProgressUpToTheEnd) {
  std::vector<double> fractions;
  const marrow::Run run{.progress = [&](const Progress& p) { fractions.push_back(p.fraction); }};
  parallel_for(run, "stage", 1000, 1, [](std::size_t, std::size_t) {});
  ASSERT_FALSE(fractions.empty());
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1);
}

}  // namespace
}  // namespace marrow
