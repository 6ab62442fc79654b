#include "two_layer/schedule.hpp"

namespace marrow::two_layer {

Schedule schedule(Effort effort) {
  switch (effort) {
    case Effort::fast:
      return {.iterations = 8,
              .shrinking = 3,
              .settling = 3,
              .pose_iterations = 10,
              .pose_shrinking = 4,
              .pose_settling = 3,
              .far = 0,
              .pose_far = 0,
              .refit_far = 0,
              .refits = 4,
              .polishing = 4};
    case Effort::normal:
      break;
    case Effort::best:
      return {.iterations = 60,
              .shrinking = 20,
              .settling = 20,
              .pose_iterations = 40,
              .pose_shrinking = 12,
              .pose_settling = 10,
              .far = 8,
              .pose_far = 4,
              .refit_far = 4,
              .refits = 80,
              .polishing = 40};
  }
  return {.iterations = 16,
          .shrinking = 5,
          .settling = 6,
          .pose_iterations = 24,
          .pose_shrinking = 8,
          .pose_settling = 6,
          .far = 0,
          .pose_far = 6,
          .refit_far = 4,
          .refits = 48,
          .polishing = 12};
}

}  // namespace marrow::two_layer
