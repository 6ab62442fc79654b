// Nested dissection (George 1973) with planes, approximate minimum degree in small parts. See Davis, chapter 7.
// The points are on a surface in space: a plane through the median is a cheap and good separator.
#include "ddm/dissection.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <array>
#include <numeric>

namespace marrow::ddm {
namespace {

using Ints = std::vector<int>;

constexpr std::size_t small_part = 1500;

class Dissection {
 public:
  Dissection(const SparseMatrix& a, std::span<const Point> points)
      : a_(a), points_(points), side_(points.size(), none), local_(points.size(), -1) {
    order_.reserve(points.size());
  }

  Ints run() {
    Ints all(points_.size());
    std::iota(all.begin(), all.end(), 0);
    cut(std::move(all));
    return std::move(order_);
  }

 private:
  enum Side : signed char { none, lower, upper };

  void cut(Ints part) {
    if (part.size() <= small_part) return order_part(part);
    // Takes the axis with the smallest separator.
    Ints best;
    std::vector<Side> sides(part.size());
    for (int axis = 0; axis < 3; ++axis) {
      Ints along = split(part, axis);
      if (axis > 0 && along.size() >= best.size()) continue;
      best = std::move(along);
      for (std::size_t e = 0; e < part.size(); ++e) sides[e] = side_[at(part[e])];
    }
    for (const int i : part) side_[at(i)] = none;
    for (const int i : best) side_[at(i)] = lower;  // any mark but `none`
    Ints first, second;
    for (std::size_t e = 0; e < part.size(); ++e) {
      if (side_[at(part[e])] == none) (sides[e] == lower ? first : second).push_back(part[e]);
    }
    for (const int i : best) side_[at(i)] = none;
    Ints().swap(part);
    cut(std::move(first));
    cut(std::move(second));
    order_part(best);
  }

  /// Marks the two sides of `part`; returns the points of one side that touch the other, of the smaller such set.
  Ints split(const Ints& part, int axis) {
    Ints sorted = part;
    const auto middle = sorted.begin() + std::ptrdiff_t(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle, {}, [&](int i) { return std::pair(points_[at(i)][axis], i); });
    std::for_each(sorted.begin(), middle, [&](int i) { side_[at(i)] = lower; });
    std::for_each(middle, sorted.end(), [&](int i) { side_[at(i)] = upper; });
    std::array<Ints, 2> along;
    for (const int i : part) {
      const Side other = side_[at(i)] == lower ? upper : lower;
      for (SparseMatrix::InnerIterator e(a_, i); e; ++e) {
        if (side_[std::size_t(e.row())] != other) continue;
        along[side_[at(i)] == lower ? 0 : 1].push_back(i);
        break;
      }
    }
    return std::move(along[along[0].size() <= along[1].size() ? 0 : 1]);
  }

  /// Orders a part by approximate minimum degree of its inner edges.
  void order_part(const Ints& part) {
    if (part.empty()) return;
    for (std::size_t e = 0; e < part.size(); ++e) local_[at(part[e])] = int(e);
    std::vector<Eigen::Triplet<double>> entries;
    for (const int i : part) {
      for (SparseMatrix::InnerIterator e(a_, i); e; ++e) {
        const int r = local_[std::size_t(e.row())];
        if (r >= 0) entries.emplace_back(r, local_[at(i)], 1.0);
      }
    }
    for (const int i : part) local_[at(i)] = -1;
    const auto n = Eigen::Index(part.size());
    SparseMatrix inside(n, n);
    inside.setFromTriplets(entries.begin(), entries.end());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> ordering;
    Eigen::AMDOrdering<int>()(inside, ordering);
    for (Eigen::Index q = 0; q < n; ++q) order_.push_back(part[at(ordering.indices()[q])]);
  }

  const SparseMatrix& a_;
  std::span<const Point> points_;
  std::vector<Side> side_;
  Ints local_, order_;
};

}  // namespace

std::vector<int> dissection_order(const SparseMatrix& a, std::span<const Point> points) {
  return Dissection(a, points).run();
}

}  // namespace marrow::ddm
