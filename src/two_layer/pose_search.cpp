// Ours, for Eq. (7b) of Le & Deng 2013: candidate atoms by line search in the metric of the poses.
// The paper looks only at the atoms of neighbouring vertices (Algorithm 2, line 4).
#include "two_layer/pose_search.hpp"

#include <algorithm>
#include <cmath>

namespace marrow::two_layer {
namespace {

static_assert(kernels::line_count == max_slots + 1);  // from the blend, and without each of its atoms

/// Atoms taken per line.
constexpr std::size_t best_of_line = 5;

/// Squares d^T Q d = sum_q m_q(u) d^T H_q d of all atoms: ten products per atom and vertex (three sums more with a free
/// rest pose).
Dictionary squares_of(const PoseMetric& metric, const Dictionary& dictionary) {
  const std::size_t bones = dictionary.bones, m = dictionary.atoms();
  Dictionary squares{PoseMetric::forms, std::vector<float>(m * PoseMetric::forms)};
  for (std::size_t k = 0; k < m; ++k) {
    const float* d = dictionary.row(k);
    for (std::size_t q = 0; q < PoseMetric::forms; ++q) {
      double sum = 0;
      for (std::size_t a = 0; a < bones; ++a) {
        if (d[a] == 0) continue;
        const float* h = metric.form(q) + a * bones;
        double row = 0;
        for (std::size_t b = 0; b < bones; ++b) row += double(h[b]) * d[b];
        sum += row * d[a];
      }
      squares.row(k)[q] = float(sum);
    }
  }
  return squares;
}

/// Blend of a code without the atom in slot `without`, ratios of the others fixed. Returns false if nothing is left.
/// `column`: in a matrix with `columns` columns.
bool blend_without(const Dictionary& dictionary, const Code& code, std::uint32_t without, float* column,
                   std::size_t columns) {
  float total = 0;
  for (std::uint32_t s = 0; s < code.count; ++s) total += s == without ? 0 : code.values[s];
  if (std::abs(total) < 1e-3F) return false;
  for (std::size_t j = 0; j < dictionary.bones; ++j) {
    float sum = 0;
    for (std::uint32_t s = 0; s < code.count; ++s) {
      if (s != without) sum += code.values[s] / total * dictionary.row(code.atoms[s])[j];
    }
    column[j * columns] = sum;
  }
  return true;
}

}  // namespace

PoseSearch::PoseSearch(const DenseWeights& weights, const PoseMetric& metric, const Dictionary& dictionary)
    : weights_(weights),
      metric_(metric),
      dictionary_(dictionary),
      tiles_(dictionary),
      squares_(squares_of(metric, dictionary)) {}

/// The error of weights x is x^T Q x + 2 h^T x + const with h = g - Q w. Moving from x by a share t towards an atom d
/// changes it by 2 t (Q x + h)^T (d - x) + t^2 (d - x)^T Q (d - x).
std::span<const std::uint32_t> PoseSearch::find(std::size_t i, const Code& code, Scratch& scratch) const {
  constexpr std::size_t columns = kernels::line_count + 1;
  constexpr std::size_t in_tile = kernels::atom_lanes;
  const auto [first, tiles] = tiles_.window_of(i);
  const std::size_t bones = dictionary_.bones, atoms = dictionary_.atoms() - first * in_tile;
  scratch.found.clear();
  scratch.form.resize(bones * bones);
  metric_.form_at(i, scratch.form.data());
  // Columns: start of each line, then w. `turned`: Q times these, but h for w.
  scratch.vectors.assign(bones * columns, 0);
  scratch.turned.assign(bones * columns, 0);
  std::size_t lines = 0;
  if (blend_without(dictionary_, code, code.count, scratch.vectors.data(), columns)) ++lines;
  for (std::uint32_t s = 0; s < code.count && code.count > 1; ++s) {
    if (blend_without(dictionary_, code, s, scratch.vectors.data() + lines, columns)) ++lines;
  }
  for (std::size_t j = 0; j < bones; ++j) scratch.vectors[j * columns + columns - 1] = weights_.row(i)[j];
  for (std::size_t a = 0; a < bones; ++a) {
    float* row = scratch.turned.data() + a * columns;
    for (std::size_t b = 0; b < bones; ++b) {
      const float q = scratch.form[a * bones + b];
      const float* v = scratch.vectors.data() + b * columns;
      for (std::size_t c = 0; c < columns; ++c) row[c] += q * v[c];
    }
    row[columns - 1] = metric_.slope(i)[a] - row[columns - 1];
  }
  kernels::Line starts[kernels::line_count] = {};
  for (std::size_t a = 0; a < bones; ++a) {
    const float *v = scratch.vectors.data() + a * columns, *row = scratch.turned.data() + a * columns;
    for (std::size_t l = 0; l < lines; ++l) {
      starts[l].squared += v[l] * row[l];
      starts[l].linear += v[l] * row[columns - 1];
    }
  }
  scratch.values.resize(kernels::line_count * tiles * in_tile);
  scratch.least.resize(kernels::line_count * tiles);
  kernels::search_kernels().lines(tiles_.part(first, tiles), squares_.part(first, tiles),
                                  {scratch.turned.data(), metric_.moments(i).data(), metric_.rest_moves(i)}, starts,
                                  scratch.values.data(), scratch.least.data());
  for (std::size_t l = 0; l < lines; ++l) {
    find_least(scratch.values.data() + l * tiles * in_tile, scratch.least.data() + l * tiles,
               std::min(atoms, tiles * in_tile), best_of_line, scratch.found);
  }
  for (std::uint32_t& atom : scratch.found) atom += std::uint32_t(first * in_tile);
  return scratch.found;
}

}  // namespace marrow::two_layer
