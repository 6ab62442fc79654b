#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "marrow/run.hpp"

namespace marrow {

/// Divides the progress of a long call among its stages. What a stage reports as its own `overall`, 0 to 1, becomes its
/// share of the whole call, which never falls. An error above one that was reported before is left out. A call that
/// runs alone needs none of this; a program that makes several calls gives each the run of a stage.
class Stages {
 public:
  /// `costs`: the time that each stage takes, in any unit, where that is known from the start.
  explicit Stages(const Run& run, std::vector<double> costs = {});

  /// The run of the next of those, which ends the one before. It may be used until the next call of next() or done().
  Run next();
  /// The same for a stage that takes `cost`, with stages after it that take `after` together.
  Run next(double cost, double after);
  /// Reports that all stages have ended.
  void done();

 private:
  struct State;

  Run run_;
  std::vector<double> costs_;
  std::size_t begun_ = 0;
  std::shared_ptr<State> state_;  ///< none where nobody listens
};

/// The same run without reports of progress, for steps of a stage that reports its own.
inline Run silent(Run run) {
  run.progress = {};
  return run;
}

}  // namespace marrow
