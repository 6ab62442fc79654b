#include "ddm_compression/fit.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace marrow::ddm_compression {
namespace {

/// Greedy colouring in order of the bones: the lowest colour that no neighbour has.
std::vector<std::vector<std::uint32_t>> colour(const std::vector<std::vector<std::uint32_t>>& neighbours) {
  std::vector<std::vector<std::uint32_t>> colours;
  std::vector<std::size_t> chosen(neighbours.size(), neighbours.size());
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    std::size_t c = 0;
    const auto taken = [&] { return std::ranges::any_of(neighbours[k], [&](auto l) { return chosen[l] == c; }); };
    while (taken()) ++c;
    chosen[k] = c;
    if (c == colours.size()) colours.emplace_back();
    colours[c].push_back(std::uint32_t(k));
  }
  return colours;
}

}  // namespace

void update_transforms(const Examples& examples, Fit& fit, const Run& run) {
  fit.transforms.resize(examples.rows(), 4 * to_index(fit.bone_count()));
  parallel_for(run, fit.bone_count(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) examples.transform(fit.bones[k], fit.transform(k));
  });
}

double mean_error(const DistinctPoints& points, const Fit& fit) {
  double sum = 0, mass = 0;
  for (std::size_t i = 0; i < points.count(); ++i) {
    sum += points.mass[i] * fit.errors[i];
    mass += points.mass[i];
  }
  return sum / mass;
}

Coupling couple(const DistinctPoints& points, const Examples& examples, const Fit& fit, std::span<const double> mass,
                const Run& run) {
  const std::size_t p = fit.bone_count();
  Coupling out;
  out.moments = Matrix::Zero(4 * to_index(p), 4 * to_index(p));
  std::vector<std::vector<std::pair<std::uint32_t, double>>> members(p);
  std::vector<bool> shared(p * p, false);
  for (std::size_t i = 0; i < points.count(); ++i) {
    const Vector4 u = points.rest.col(to_index(i));
    const Matrix4 square = mass[i] * u * u.transpose();
    for (const Influence& a : fit.row(i)) {
      members[a.bone].emplace_back(std::uint32_t(i), mass[i] * a.weight);
      for (const Influence& b : fit.row(i)) {
        out.moments.block<4, 4>(4 * to_index(a.bone), 4 * to_index(b.bone)) += a.weight * b.weight * square;
        shared[a.bone * p + b.bone] = true;
      }
    }
  }
  out.neighbours.resize(p);
  for (std::size_t k = 0; k < p; ++k) {
    for (std::size_t l = 0; l < p; ++l) {
      if (shared[k * p + l]) out.neighbours[k].push_back(std::uint32_t(l));
    }
  }
  out.colours = colour(out.neighbours);
  out.targets.resize(examples.rows(), 4 * to_index(p));
  parallel_for(run, p, 2, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      auto sum = out.targets.middleCols<4>(4 * to_index(k));
      sum.setZero();
      for (const auto& [i, weight] : members[k]) {
        sum.noalias() += examples.targets().col(to_index(i)) * (weight * points.rest.col(to_index(i)).transpose());
      }
    }
  });
  return out;
}

Matrix missing(const Coupling& coupling, const Fit& fit, std::size_t bone) {
  Matrix out = coupling.targets.middleCols<4>(4 * to_index(bone));
  for (const std::uint32_t l : coupling.neighbours[bone]) {
    out.noalias() -= fit.transform(l) * coupling.moments.block<4, 4>(4 * to_index(l), 4 * to_index(bone));
  }
  return out;
}

double gain(const Matrix4& moments, const Matrix& missing, const Matrix& change) {
  return 2 * missing.cwiseProduct(change).sum() - (change.transpose() * change).cwiseProduct(moments).sum();
}

}  // namespace marrow::ddm_compression
