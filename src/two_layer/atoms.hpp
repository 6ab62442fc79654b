#pragma once

#include "marrow/run.hpp"
#include "two_layer/blend.hpp"
#include "two_layer/types.hpp"

namespace marrow::two_layer {

/// Which vertices blend an atom, and how much, compressed rows.
struct Users {
  struct User {
    std::uint32_t vertex;
    float value;
  };
  std::vector<std::uint32_t> offsets;  ///< #atoms + 1
  std::vector<User> users;

  std::span<const User> of(std::size_t k) const { return {users.data() + offsets[k], users.data() + offsets[k + 1]}; }
};
Users users_of(const Coding& coding, std::size_t atoms);

/// The order of a sweep over the atoms, in steps. Atoms of a step share no vertex, and those that share one come in the
/// order of their indices: each finds the newest values of the others as if they came one after the other.
class SweepOrder {
 public:
  SweepOrder(const Users& users, std::size_t vertices);

  std::size_t steps() const { return offsets_.size() - 1; }
  std::span<const std::uint32_t> step(std::size_t s) const {
    return {atoms_.data() + offsets_[s], atoms_.data() + offsets_[s + 1]};
  }

 private:
  std::vector<std::uint32_t> offsets_;  ///< #steps + 1
  std::vector<std::uint32_t> atoms_;
};

/// x_i - w_i for every vertex, #vertices x #bones: what the two layers blend to, minus what they should.
std::vector<float> residuals_of(const DenseWeights& weights, const Dictionary& dictionary, const Coding& coding,
                                const Run& run);

/// Nearest point of the simplex, or of the plane with sum 1 where values may have any sign, among those that are 0
/// outside `support` (one flag per value).
void project_to_simplex(std::span<double> values, const std::uint8_t* support, Sign sign, std::vector<double>& scratch);

/// Finds the values of the atoms for codes that stay.
class AtomSolver {
 public:
  virtual ~AtomSolver() = default;
  /// One sweep over the atoms, each with the newest values of the others. `support`: #atoms x #bones flags; values
  /// elsewhere become 0.
  virtual void sweep(const std::vector<std::uint8_t>& support) = 0;
};

/// Section 3.3 with the constraints solved exactly: as the Hessian of an atom is phi_kk I, its best values are the
/// projection of Eq. 5.
class AtomDescent final : public AtomSolver {
 public:
  AtomDescent(const DenseWeights& weights, const Coding& coding, Dictionary& dictionary, Sign sign, const Run& run);

  void sweep(const std::vector<std::uint8_t>& support) override;
  /// How much worse everything is without each entry (#atoms x #bones), if its atom had the best values with no regard
  /// to sparsity.
  std::vector<float> entry_gains();

 private:
  /// Best values of atom k without any constraint (Eq. 5), into `values`; gives phi_kk.
  double free_values(std::size_t k, std::span<double> values) const;

  Dictionary& dictionary_;
  Sign sign_;
  Run run_;
  Users users_;
  SweepOrder order_;
  std::vector<float> residuals_;
};

}  // namespace marrow::two_layer
