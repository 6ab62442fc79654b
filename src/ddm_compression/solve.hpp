#pragma once

#include <memory>

#include "core/stopwatch.hpp"
#include "ddm_compression/fit.hpp"

namespace marrow::ddm_compression {

/// What every number of virtual bones has in common: points and examples.
class Solver {
 public:
  Solver(const DdmRig& ddm, const DdmCompressionOptions& options, const RangesOfMotion& ranges, const Run& run);

  /// The model with at most so many virtual bones, and the objective after each round (RMS distance, model units).
  CompressedDdm solve(std::size_t virtual_bones, Report& report, Stopwatch& watch, const Run& run) const;

  const Points& points() const { return points_; }

 private:
  Fit fit_refined(std::size_t bones, Report& report, Stopwatch& watch, const Run& run) const;
  Fit fit_linear(std::size_t bones, Report& report, Stopwatch& watch, const Run& run) const;
  void note(const Fit& fit, int iteration, Report& report, const Run& run) const;
  InfluenceOptions influence_options(double error) const;

  const DdmRig& ddm_;
  DdmCompressionOptions options_;
  Points points_;
  std::unique_ptr<PoseExamples> sampled_;
  std::unique_ptr<LinearExamples> linear_;
};

}  // namespace marrow::ddm_compression
