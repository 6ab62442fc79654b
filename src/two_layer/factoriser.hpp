#pragma once

#include <functional>

#include "two_layer/atoms.hpp"
#include "two_layer/factorise.hpp"
#include "two_layer/pose_atoms.hpp"

namespace marrow::two_layer {

/// For the estimate of progress, in iterations of fit_weights() or fit_poses(): the atoms to begin with, one iteration
/// in which rest pose and motion follow, and one round of polishing.
inline constexpr double start_of_layers = 3, refit_iteration = 1.5, polishing_round = 1;

/// Coefficients of all vertices.
std::size_t coefficients(const Coding& coding);

/// What the best of those is worth for which there is no room any more. Finite: what must stay is worth more.
double worth_of_next(std::vector<float>& values, double places);

/// Solves for both layers in turn, within a budget of values. Without poses in fit_weights.cpp, with them in
/// fit_poses.cpp.
class Factoriser {
 public:
  Factoriser(const DenseWeights& weights, const Neighbours& neighbours, const PoseMetric* poses,
             const FactorOptions& options, const Run& run, PoseRefit* refit);

  Factors solve();

 private:
  Given given() const { return {weights_, *metric_, around_}; }
  /// Vertices with the largest errors, in rounds (Eq. 2, many at a time). Every vertex follows one atom at this stage:
  /// blends would make up for atoms that stand in the wrong places.
  void initialise();
  void add_atoms(const std::vector<std::uint32_t>& vertices);
  void code(double price, Reach reach, bool losses = false, std::span<const std::uint8_t> only = {});
  /// Where to look so many iterations before the end.
  Reach reach(int left) const;
  /// An atom has one value at least, a vertex one coefficient; and with an atom per vertex nothing is left to win.
  std::size_t most_atoms() const;
  /// What atoms cost with this price of a value.
  std::vector<float> atom_costs(double price) const;
  /// And lets the vertices around choose again.
  void exchange();
  /// Makes a change and takes it back where it gains nothing.
  void try_to_better(const std::function<void()>& change);
  /// Of what the layers blend to. The errors of the codes are sums that cancel where coefficients are large.
  double error() const;

  /// Exchange atoms, choose which values stay, find them, choose codes; the values of both layers shrink to the budget
  /// within `shrinking` iterations. The last one keeps to the budget exactly.
  void fit_weights(std::string_view stage, int iterations, int shrinking, const Run& run);
  /// Values and coefficients in turn, with the supports as they are.
  void finish();
  /// Where codes are too many for what so many values of atoms leave of the budget, those that bring least become
  /// shorter.
  void shorten_codes(double atom_values);
  /// One price for a value of either layer, so that both together keep to the budget.
  void choose_supports(AtomDescent& solver, double done, bool exact);
  void limit_cardinality(const std::vector<float>& gains);

  /// The same with poses. Atoms begin with all of their values, so that poses and not weights choose which stay.
  void fit_poses(std::string_view stage, int iterations, int shrinking, const Run& run);
  double price_within(const std::vector<float>& gains, double budget) const;
  /// Takes out what is worth least until the budget is kept, then finds the rest once more.
  void end_within_budget(PoseAtomDescent& solver, std::vector<float> gains);
  double used_entries() const;
  /// The same once more, while rest pose and motion follow as soon as the budget is reached: from layers that have
  /// settled, bones would not get as far.
  void refit_from(const Factors& start, const Run& run);
  /// Rest pose and motion for the layers as they are, and what counts from then on.
  void move();
  /// Of the atoms that a vertex has. What these are worth beside others stays as it was found in a wider search.
  void code_again(double price);
  /// Everything in turn, with the supports as they are.
  void polish(const Run& run);
  /// Values of any sign, from layers without.
  void allow_signs(const Run& run);

  const DenseWeights& weights_;
  const Neighbours& neighbours_;
  const Neighbours around_;  ///< vertices that learn from each other
  const PoseMetric* given_poses_;
  const PoseMetric* poses_;
  PoseRefit* refit_;
  bool moves_ = false;                  ///< rest pose and motion follow at this stage
  std::optional<PoseMetric> refitted_;  ///< what `poses_` is once something has moved
  const FactorOptions& options_;
  const Run& run_;
  WeightMetric weight_metric_;
  const Metric* metric_ = &weight_metric_;
  Sign sign_;
  std::size_t slots_ = 1;  ///< coefficients that a vertex may have at this stage
  Factors factors_;
  Coded coded_;
  double price_ = 0;                   ///< error that a value of either layer must be worth
  std::vector<std::uint8_t> support_;  ///< #atoms x #bones: which values may be other than 0
  std::vector<std::uint8_t> touched_;  ///< #vertices, by the last exchange
};

}  // namespace marrow::two_layer
