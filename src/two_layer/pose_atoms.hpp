#pragma once

#include <memory>
#include <vector>

#include "two_layer/pose_metric.hpp"

namespace marrow::two_layer {

/// Dictionary update for example poses: per atom the exact minimum over its support, all other atoms fixed.
class PoseAtomDescent final : public AtomSolver {
 public:
  PoseAtomDescent(const DenseWeights& weights, const PoseMetric& metric, const Coding& coding, Dictionary& dictionary,
                  Sign sign, const Run& run);
  ~PoseAtomDescent() override;
  PoseAtomDescent(const PoseAtomDescent&) = delete;
  PoseAtomDescent& operator=(const PoseAtomDescent&) = delete;

  void sweep(const std::vector<std::uint8_t>& support) override;
  /// One sweep that also chooses supports, each with the latest values of the others: keeps values whose gain exceeds
  /// `price`, at most `most` per atom. `gains`: of each value, #atoms x #bones.
  void choose(double price, std::size_t most, std::vector<std::uint8_t>& support, std::vector<float>& gains);

 private:
  struct State;
  struct OneAtom;
  std::unique_ptr<State> state_;
};

}  // namespace marrow::two_layer
