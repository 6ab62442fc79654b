// Symbolic factorisation: Davis, Direct Methods for Sparse Linear Systems, chapters 4 and 6.
#include "ddm/elimination.hpp"

#include <algorithm>

#include "ddm/dissection.hpp"

namespace marrow::ddm {
namespace {

using Ints = std::vector<int>;

Ints inverse_of(const Ints& permutation) {
  Ints out(permutation.size());
  for (std::size_t e = 0; e < permutation.size(); ++e) out[at(permutation[e])] = int(e);
  return out;
}

/// Parents in the elimination tree (-1 at roots) by Liu's algorithm with path compression.
Ints elimination_tree(const SparseMatrix& a, const Ints& place, const Ints& point) {
  const auto n = int(point.size());
  Ints parent(point.size(), -1), ancestor(point.size(), -1);
  for (int s = 0; s < n; ++s) {
    for (SparseMatrix::InnerIterator e(a, point[at(s)]); e; ++e) {
      int i = place[at(int(e.row()))];
      while (i >= 0 && i < s) {
        const int next = ancestor[at(i)];
        ancestor[at(i)] = s;
        if (next < 0) parent[at(i)] = s;
        i = next;
      }
    }
  }
  return parent;
}

/// Postorder: order[k] is the old place of the node that comes k-th, with every subtree contiguous.
Ints postorder(const Ints& parent) {
  const auto n = int(parent.size());
  Ints first_child(parent.size(), -1), next_sibling(parent.size(), -1), order, stack;
  for (int s = n - 1; s >= 0; --s) {
    const int p = parent[at(s)];
    if (p < 0) continue;
    next_sibling[at(s)] = first_child[at(p)];
    first_child[at(p)] = s;
  }
  order.reserve(parent.size());
  for (int root = 0; root < n; ++root) {
    if (parent[at(root)] >= 0) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const int s = stack.back();
      const int child = first_child[at(s)];
      if (child >= 0) {
        first_child[at(s)] = next_sibling[at(child)];
        stack.push_back(child);
      } else {
        order.push_back(s);
        stack.pop_back();
      }
    }
  }
  return order;
}

/// Finds blocks column by column. The rows of a column are those of A and of its children.
class BlockFinder {
 public:
  BlockFinder(const SparseMatrix& a, const Elimination& e, Ints parent)
      : a_(a), e_(e), parent_(std::move(parent)), seen_(parent_.size(), -1), children_(parent_.size()) {}

  std::vector<Block> find() {
    const auto n = int(parent_.size());
    for (int c = 0; c < n; ++c) {
      const Ints rows = rows_of(c);
      const bool joins = c > 0 && parent_[at(c - 1)] == c && rows.size() + 1 == blocks_.back().rows.size();
      if (joins) {
        ++blocks_.back().width;
      } else {
        close();
        blocks_.push_back({c, 1, {}, {}});
      }
      for (const int block : children_[at(c)]) blocks_.back().children.push_back(block);
      Ints().swap(children_[at(c)]);
      blocks_.back().rows = rows;
    }
    close();
    return std::move(blocks_);
  }

 private:
  /// A finished block becomes a child of the column of its first row.
  void close() {
    if (blocks_.empty() || blocks_.back().rows.empty()) return;
    children_[at(blocks_.back().rows.front())].push_back(int(blocks_.size()) - 1);
  }

  Ints rows_of(int c) {
    Ints rows;
    const auto add = [&](int r) {
      if (r <= c || seen_[at(r)] == c) return;
      seen_[at(r)] = c;
      rows.push_back(r);
    };
    if (c > 0 && parent_[at(c - 1)] == c) {
      for (const int r : blocks_.back().rows) add(r);
    }
    const std::size_t sorted = rows.size();
    for (SparseMatrix::InnerIterator e(a_, e_.point[at(c)]); e; ++e) add(e_.place[at(int(e.row()))]);
    for (const int block : children_[at(c)]) {
      for (const int r : blocks_[at(block)].rows) add(r);
    }
    if (rows.size() > sorted) std::ranges::sort(rows);
    return rows;
  }

  const SparseMatrix& a_;
  const Elimination& e_;
  Ints parent_, seen_;
  std::vector<Ints> children_;  ///< per column: blocks whose first row it is
  std::vector<Block> blocks_;
};

}  // namespace

Elimination::Elimination(const SparseMatrix& a, std::span<const Point> points) : point(dissection_order(a, points)) {
  const std::size_t n = point.size();
  place = inverse_of(point);
  const Ints order = postorder(elimination_tree(a, place, point));
  Ints again(n);
  for (std::size_t s = 0; s < n; ++s) again[s] = point[at(order[s])];
  point = std::move(again);
  place = inverse_of(point);
  blocks = BlockFinder(a, *this, elimination_tree(a, place, point)).find();
}

}  // namespace marrow::ddm
