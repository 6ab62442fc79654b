#pragma once

#include <memory>

#include "core/stopwatch.hpp"
#include "ddm_compression/continuous.hpp"
#include "ddm_compression/fit.hpp"
#include "ddm_compression/influences.hpp"
#include "ddm_compression/pose_examples.hpp"

namespace marrow::ddm_compression {

/// Points and examples, shared by solves with different numbers of virtual bones.
class Solver {
 public:
  Solver(const DdmRig& ddm, const DdmCompressionOptions& options, const RangesOfMotion& ranges, const Run& run);

  /// A model with at most `virtual_bones`. Writes the objective after each round (RMS distance, model units) to the
  /// report.
  CompressedDdm solve(std::size_t virtual_bones, Report& report, Stopwatch& watch, const Run& run) const;

  const DistinctPoints& points() const { return points_; }

 private:
  Fit fit_refined(std::size_t bones, Report& report, Stopwatch& watch, const Run& run) const;
  Fit fit_linear(std::size_t bones, Report& report, Stopwatch& watch, const Run& run) const;
  void note(const Fit& fit, int iteration, Report& report, const Run& run) const;
  InfluenceOptions influence_options(double error) const;

  const DdmRig& ddm_;
  DdmCompressionOptions options_;
  DistinctPoints points_;
  double e_rms_per_distance_ = 0;
  std::unique_ptr<PoseExamples> sampled_;
  std::unique_ptr<LinearExamples> linear_;
};

}  // namespace marrow::ddm_compression
