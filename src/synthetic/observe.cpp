#include "marrow/deform.hpp"
#include "synthetic/common.hpp"

namespace marrow::synthetic {

Sequence observe(const Rig& rig, const Options& options, const Run& run) {
  check_ranges(options);
  Sequence sequence = bake(rig, run);
  if (sequence.vertices() > 0) add_noise(sequence, options, run);
  return sequence;
}

}  // namespace marrow::synthetic
