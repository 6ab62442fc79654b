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
  for (std::size_t j = 0; j < atoms; ++j) result.offsets[j + 1] += result.offsets[j];
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
  for (std::size_t j = 0; j < atoms; ++j) {
    for (const auto& [vertex, value] : users.of(j)) step[j] = std::max(step[j], next[vertex]);
    for (const auto& [vertex, value] : users.of(j)) next[vertex] = step[j] + 1;
    offsets_.resize(std::max<std::size_t>(offsets_.size(), step[j] + 2));
    ++offsets_[step[j] + 1];
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  atoms_.resize(atoms);
  std::vector<std::uint32_t> place(offsets_.begin(), offsets_.end() - 1);
  for (std::uint32_t j = 0; j < atoms; ++j) atoms_[place[step[j]]++] = j;
}

std::vector<float> residuals_of(const DenseWeights& weights, const Dictionary& dictionary, const Coding& coding,
                                const Run& run) {
  const std::size_t k = weights.bones;
  std::vector<float> result(weights.vertices * k);
  parallel_for(run, weights.vertices, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      float* r = result.data() + i * k;
      const float* w = weights.row(i);
      for (std::size_t x = 0; x < k; ++x) r[x] = -w[x];
      for (std::uint32_t s = 0; s < coding[i].count; ++s) {
        const float a = coding[i].values[s];
        const float* d = dictionary.row(coding[i].atoms[s]);
        for (std::size_t x = 0; x < k; ++x) r[x] += a * d[x];
      }
    }
  });
  return result;
}

void project(std::span<double> values, const std::uint8_t* support, Sign sign, std::vector<double>& scratch) {
  scratch.clear();
  double sum = 0;
  for (std::size_t x = 0; x < values.size(); ++x) {
    if (support[x] == 0) continue;
    scratch.push_back(values[x]);
    sum += values[x];
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
  for (std::size_t x = 0; x < values.size(); ++x) {
    values[x] = support[x] == 0 ? 0 : values[x] - shift;
    if (sign == Sign::convex) values[x] = std::max(values[x], 0.0);
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

double AtomDescent::free_values(std::size_t j, std::span<double> values) const {
  double phi = 0;
  std::fill(values.begin(), values.end(), 0.0);
  for (const auto& [vertex, a] : users_.of(j)) {
    phi += double(a) * a;
    const float* r = residuals_.data() + vertex * values.size();
    for (std::size_t x = 0; x < values.size(); ++x) values[x] += double(a) * r[x];
  }
  const float* d = dictionary_.row(j);
  for (std::size_t x = 0; x < values.size(); ++x) values[x] = phi > 0 ? d[x] - values[x] / phi : double(d[x]);
  return phi;
}

void AtomDescent::sweep(const std::vector<std::uint8_t>& support) {
  const std::size_t k = dictionary_.bones;
  for (std::size_t s = 0; s < order_.steps(); ++s) {
    const std::span<const std::uint32_t> atoms = order_.step(s);
    parallel_for(run_, atoms.size(), at_once, [&](std::size_t begin, std::size_t end) {
      std::vector<double> values(k), scratch;
      std::vector<float> change(k);
      for (const std::uint32_t j : atoms.subspan(begin, end - begin)) {
        free_values(j, values);
        project(values, support.data() + j * k, sign_, scratch);
        float* d = dictionary_.row(j);
        for (std::size_t x = 0; x < k; ++x) {
          change[x] = float(values[x]) - d[x];
          d[x] = float(values[x]);
        }
        for (const auto& [vertex, a] : users_.of(j)) {
          float* r = residuals_.data() + vertex * k;
          for (std::size_t x = 0; x < k; ++x) r[x] += a * change[x];
        }
      }
    });
  }
}

std::vector<float> AtomDescent::entry_gains() {
  const std::size_t k = dictionary_.bones;
  std::vector<float> gains(dictionary_.values.size());
  const std::vector<std::uint8_t> all(k, 1);
  parallel_for(run_, dictionary_.atoms(), at_once, [&](std::size_t begin, std::size_t end) {
    std::vector<double> values(k), scratch;
    for (std::size_t j = begin; j < end; ++j) {
      const double phi = free_values(j, values);
      project(values, all.data(), sign_, scratch);
      for (std::size_t x = 0; x < k; ++x) gains[j * k + x] = float(phi * values[x] * values[x]);
    }
  });
  return gains;
}

}  // namespace marrow::two_layer
