#include "marrow/stages.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace marrow {

struct Stages::State {
  std::function<void(const Progress&)> parent;
  double begin = 0, end = 0;  ///< of the stage, within the whole
  double reached = 0;
  double least_error = std::numeric_limits<double>::infinity();
  std::string stage;

  void report(Progress p) {
    stage = p.stage;
    reached = std::clamp(begin + (end - begin) * p.overall, reached, end);
    p.overall = reached;
    if (p.error > least_error) p.error = -1;
    if (p.error >= 0) least_error = p.error;
    parent(p);
  }
};

Stages::Stages(const Run& run, std::vector<double> costs) : run_(run), costs_(std::move(costs)) {
  if (!run.progress) return;
  state_ = std::make_shared<State>();
  state_->parent = run.progress;
  run_.progress = [state = state_](const Progress& p) { state->report(p); };
}

Run Stages::next() {
  const auto now = costs_.begin() + std::ptrdiff_t(std::min(begun_++, costs_.size() - 1));
  return next(*now, std::accumulate(now + 1, costs_.end(), 0.0));
}

Run Stages::next(double cost, double after) {
  if (!state_) return run_;
  State& state = *state_;
  state.begin = state.end;
  const double share = cost > 0 ? cost / (cost + std::max(after, 0.0)) : 0;
  state.end = state.begin + (1 - state.begin) * share;
  return run_;
}

void Stages::done() {
  if (!state_) return;
  state_->begin = state_->end = 1;
  state_->report({.stage = std::string(state_->stage), .fraction = 1, .overall = 1});
}

}  // namespace marrow
