#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/check_rows.hpp"
#include "core/rows.hpp"
#include "marrow/ddm_rig.hpp"

namespace marrow {

void validate(const MultiWeights& weights, std::size_t bones) {
  constexpr const char* where = "MultiWeights";
  require_rows(weights, bones, where);
  for (std::size_t i = 0; i < weights.vertices(); ++i) {
    double sum = 0;
    for (std::uint32_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) {
      const MultiWeights::Value& v = weights.values[e];
      require(std::ranges::all_of(v, [](float x) { return std::isfinite(x); }) && v[9] > 0, where, [&] {
        return fmt::format("multi-weight of bone {} at vertex {} is not finite, or its ww not positive",
                           weights.bones[e], i);
      });
      sum += v[9];
    }
    require(std::abs(sum - 1) <= 1e-4, where,
            [&] { return fmt::format("ww of vertex {} sums to {} instead of 1", i, sum); });
  }
}

void validate(const DdmRig& ddm) {
  constexpr const char* where = "DdmRig";
  validate(ddm.rig);
  validate(ddm.multi_weights, ddm.bones());
  require(ddm.multi_weights.vertices() == ddm.vertices() && ddm.centres.size() == ddm.vertices(), where, [&] {
    return fmt::format("multi-weights for {} and centres for {} vertices, but the mesh has {}",
                       ddm.multi_weights.vertices(), ddm.centres.size(), ddm.vertices());
  });
  const std::size_t bad = first_not_finite(ddm.centres);
  require(bad == ddm.centres.size(), where,
          [&] { return fmt::format("centre of rotation of vertex {} is not finite", bad); });
}

Rig dense_lbs(const DdmRig& ddm) {
  Rig rig = ddm.rig;
  const MultiWeights& from = ddm.multi_weights;
  rig.weights = {from.offsets, from.bones, {}};
  for (std::size_t i = 0; i < ddm.vertices(); ++i) {
    double sum = 0;
    for (std::uint32_t e = from.offsets[i]; e < from.offsets[i + 1]; ++e) sum += from.values[e][9];
    for (std::uint32_t e = from.offsets[i]; e < from.offsets[i + 1]; ++e) {
      rig.weights.values.push_back(float(from.values[e][9] / sum));
    }
  }
  return rig;
}

std::size_t storage(const DdmRig& ddm) {
  const std::size_t floats = 10 * ddm.multi_weights.values.size() + 3 * ddm.vertices();
  return sizeof(float) * floats + row_bytes(ddm.multi_weights.offsets, ddm.bones());
}

}  // namespace marrow
