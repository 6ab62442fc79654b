// Le & Deng 2013, Section 3.3, Eq. (5): dictionary update, atom by atom. Differs: constraints are solved exactly by
// projection to the simplex, and atoms without common vertices are updated in parallel.
#include "two_layer/atoms.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"

namespace marrow::two_layer {
namespace {

/// Atoms per parallel chunk.
constexpr std::size_t at_once = 64;

}  // namespace

Users users_of(const Coding& coding, std::size_t atoms) {
  Users result{.offsets = std::vector<std::uint32_t>(atoms + 1), .users = {}};
  for (const Code& code : coding) {
    for (std::uint32_t s = 0; s < code.count; ++s) ++result.offsets[code.atoms[s] + 1];
  }
  for (std::size_t k = 0; k < atoms; ++k) result.offsets[k + 1] += result.offsets[k];
  result.users.resize(result.offsets.back());
  std::vector<std::uint32_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t i = 0; i < coding.size(); ++i) {
    for (std::uint32_t s = 0; s < coding[i].count; ++s) {
      result.users[next[coding[i].atoms[s]]++] = {std::uint32_t(i), coding[i].values[s]};
    }
  }
  return result;
}

SweepOrder::SweepOrder(const Users& users, std::size_t vertices) : offsets_{0} {
  const std::size_t atoms = users.offsets.size() - 1;
  std::vector<std::uint32_t> step(atoms), next(vertices);  // next: first step in which the vertex is free
  for (std::size_t k = 0; k < atoms; ++k) {
    for (const auto& [vertex, value] : users.of(k)) step[k] = std::max(step[k], next[vertex]);
    for (const auto& [vertex, value] : users.of(k)) next[vertex] = step[k] + 1;
    offsets_.resize(std::max<std::size_t>(offsets_.size(), step[k] + 2));
    ++offsets_[step[k] + 1];
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  atoms_.resize(atoms);
  std::vector<std::uint32_t> place(offsets_.begin(), offsets_.end() - 1);
  for (std::uint32_t k = 0; k < atoms; ++k) atoms_[place[step[k]]++] = k;
}

std::vector<float> residuals_of(const DenseWeights& weights, const Dictionary& dictionary, const Coding& coding,
                                const Run& run) {
  const std::size_t bones = weights.bones;
  std::vector<float> result(weights.vertices * bones);
  parallel_for(run, weights.vertices, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      float* r = result.data() + i * bones;
      const float* w = weights.row(i);
      for (std::size_t j = 0; j < bones; ++j) r[j] = -w[j];
      for (std::uint32_t s = 0; s < coding[i].count; ++s) {
        const float a = coding[i].values[s];
        const float* d = dictionary.row(coding[i].atoms[s]);
        for (std::size_t j = 0; j < bones; ++j) r[j] += a * d[j];
      }
    }
  });
  return result;
}

void project_to_simplex(std::span<double> values, const std::uint8_t* support, Sign sign,
                        std::vector<double>& scratch) {
  scratch.clear();
  double sum = 0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (support[j] == 0) continue;
    scratch.push_back(values[j]);
    sum += values[j];
  }
  double shift = (sum - 1) / double(scratch.size());
  if (sign == Sign::convex) {
    std::sort(scratch.begin(), scratch.end(), std::greater<>());
    double partial = 0;
    for (std::size_t kept = 0; kept < scratch.size(); ++kept) {
      partial += scratch[kept];
      const double candidate = (partial - 1) / double(kept + 1);
      if (scratch[kept] <= candidate) break;
      shift = candidate;
    }
  }
  for (std::size_t j = 0; j < values.size(); ++j) {
    values[j] = support[j] == 0 ? 0 : values[j] - shift;
    if (sign == Sign::convex) values[j] = std::max(values[j], 0.0);
  }
}

AtomDescent::AtomDescent(const DenseWeights& weights, const Coding& coding, Dictionary& dictionary, Sign sign,
                         const Run& run)
    : dictionary_(dictionary),
      sign_(sign),
      run_(run),
      users_(users_of(coding, dictionary.atoms())),
      order_(users_, coding.size()),
      residuals_(residuals_of(weights, dictionary, coding, run)) {}

double AtomDescent::free_values(std::size_t k, std::span<double> values) const {
  double phi = 0;
  std::fill(values.begin(), values.end(), 0.0);
  for (const auto& [vertex, a] : users_.of(k)) {
    phi += double(a) * a;
    const float* r = residuals_.data() + vertex * values.size();
    for (std::size_t j = 0; j < values.size(); ++j) values[j] += double(a) * r[j];
  }
  const float* d = dictionary_.row(k);
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = phi > 0 ? d[j] - values[j] / phi : double(d[j]);
  return phi;
}

void AtomDescent::sweep(const std::vector<std::uint8_t>& support) {
  const std::size_t bones = dictionary_.bones;
  for (std::size_t s = 0; s < order_.steps(); ++s) {
    const std::span<const std::uint32_t> atoms = order_.step(s);
    parallel_for(run_, atoms.size(), at_once, [&](std::size_t begin, std::size_t end) {
      std::vector<double> values(bones), scratch;
      std::vector<float> change(bones);
      for (const std::uint32_t k : atoms.subspan(begin, end - begin)) {
        free_values(k, values);
        project_to_simplex(values, support.data() + k * bones, sign_, scratch);
        float* d = dictionary_.row(k);
        for (std::size_t j = 0; j < bones; ++j) {
          change[j] = float(values[j]) - d[j];
          d[j] = float(values[j]);
        }
        for (const auto& [vertex, a] : users_.of(k)) {
          float* r = residuals_.data() + vertex * bones;
          for (std::size_t j = 0; j < bones; ++j) r[j] += a * change[j];
        }
      }
    });
  }
}

std::vector<float> AtomDescent::entry_gains() {
  const std::size_t bones = dictionary_.bones;
  std::vector<float> gains(dictionary_.values.size());
  const std::vector<std::uint8_t> all(bones, 1);
  parallel_for(run_, dictionary_.atoms(), at_once, [&](std::size_t begin, std::size_t end) {
    std::vector<double> values(bones), scratch;
    for (std::size_t k = begin; k < end; ++k) {
      const double phi = free_values(k, values);
      project_to_simplex(values, all.data(), sign_, scratch);
      for (std::size_t j = 0; j < bones; ++j) gains[k * bones + j] = float(phi * values[j] * values[j]);
    }
  });
  return gains;
}

}  // namespace marrow::two_layer
