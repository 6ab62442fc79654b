// Method (ours): exchange of atoms. Drops atoms whose removal cost is below their price (or below the gain of a new
// one), and adds atoms with the weights of vertices where they gain most. Le & Deng 2013 only adds atoms.
#include "two_layer/exchange_atoms.hpp"

#include <algorithm>
#include <numeric>

#include "two_layer/atoms.hpp"

namespace marrow::two_layer {
namespace {

/// Indices by ascending value; ties by index.
std::vector<std::uint32_t> ascending(const std::vector<float>& values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  return order;
}

}  // namespace

std::vector<float> hopes(const std::vector<float>& errors, const Neighbours& neighbours) {
  std::vector<float> result(errors.size());
  for (std::size_t i = 0; i < errors.size(); ++i) {
    float sum = 0;
    for (const std::uint32_t a : neighbours.of(i)) sum += std::max(errors[a], 0.0F);
    result[i] = std::max(errors[i], 0.0F) + sum / 2;
  }
  return result;
}

std::vector<std::uint32_t> best_places(const std::vector<float>& values, const Neighbours& around, std::size_t count) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return values[a] != values[b] ? values[a] > values[b] : a > b; });
  std::vector<std::uint8_t> taken(values.size());
  std::vector<std::uint32_t> result;
  for (const std::uint32_t i : order) {
    if (result.size() == count) break;
    if (taken[i] != 0) continue;
    result.push_back(i);
    for (const std::uint32_t a : around.of(i)) taken[a] = 1;
  }
  return result;
}

namespace {

/// Flags of the atoms to drop, lowest net removal cost first; none shares a vertex with another.
std::vector<std::uint8_t> useless_atoms(const Coded& coded, const Exchange& exchange, const Coding& coding) {
  const std::vector<NewAtom>& others = exchange.new_atoms;
  const std::size_t atoms = exchange.costs.size();
  std::vector<float> worth(atoms);
  for (std::size_t i = 0; i < coding.size(); ++i) {
    for (std::uint32_t s = 0; s < coding[i].count; ++s) worth[coding[i].atoms[s]] += coded.losses[i * max_slots + s];
  }
  for (std::size_t k = 0; k < atoms; ++k) worth[k] -= exchange.costs[k];
  const Users users = users_of(coding, atoms);
  std::vector<std::uint8_t> gone(atoms), held(atoms);
  std::size_t found = 0;
  for (const std::uint32_t k : ascending(worth)) {
    // Even an atom worth its price may be worth less than a new one elsewhere.
    if (found == exchange.limit || !(worth[k] < 0 || (found < others.size() && worth[k] < others[found].win))) break;
    if (held[k] != 0) continue;
    gone[k] = 1;
    ++found;
    for (const auto& [vertex, value] : users.of(k)) {
      for (std::uint32_t s = 0; s < coding[vertex].count; ++s) held[coding[vertex].atoms[s]] = 1;
    }
  }
  return gone;
}

/// Drops atoms and renumbers. Vertices left without atoms copy a neighbour's code, or take the first atom.
void remove_atoms(const std::vector<std::uint8_t>& gone, const Neighbours& around, Dictionary& dictionary,
                  Coding& coding, std::vector<std::uint8_t>& touched) {
  std::vector<std::uint32_t> moved(gone.size());
  std::uint32_t left = 0;
  for (std::uint32_t k = 0; k < gone.size(); ++k) {
    moved[k] = left;
    if (gone[k] != 0) continue;
    if (left != k) std::copy_n(dictionary.row(k), dictionary.bones, dictionary.row(left));
    ++left;
  }
  dictionary.values.resize(left * dictionary.bones);
  for (std::size_t i = 0; i < coding.size(); ++i) {
    Code& code = coding[i];
    Code next;
    for (std::uint32_t s = 0; s < code.count; ++s) {
      if (gone[code.atoms[s]] != 0) continue;
      next.atoms[next.count] = moved[code.atoms[s]];
      next.values[next.count++] = code.values[s];
    }
    touched[i] = next.count < code.count;
    code = next;
  }
  for (std::size_t i = 0; i < coding.size(); ++i) {
    for (const std::uint32_t a : around.of(i)) {
      if (coding[i].count == 0 && coding[a].count > 0) coding[i] = coding[a];
    }
    if (coding[i].count == 0) coding[i] = {.count = 1, .atoms = {0}, .values = {1}};
  }
}

}  // namespace

void exchange_atoms(const Given& given, const Coded& coded, const Exchange& exchange, Dictionary& dictionary,
                    Coding& coding, std::vector<std::uint8_t>& touched) {
  const auto& [weights, metric, around] = given;
  touched.assign(coding.size(), 0);
  remove_atoms(useless_atoms(coded, exchange, coding), around, dictionary, coding, touched);
  for (const auto& [p, win] : exchange.new_atoms) {
    if (!(win > 0) || dictionary.atoms() >= exchange.most) break;
    coding[p] = {.count = 1, .atoms = {std::uint32_t(dictionary.atoms())}, .values = {1}};
    dictionary.values.insert(dictionary.values.end(), weights.row(p), weights.row(p) + weights.bones);
    touched[p] = 1;
    for (const std::uint32_t a : around.of(p)) touched[a] = 1;
  }
}

}  // namespace marrow::two_layer
