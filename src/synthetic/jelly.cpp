#include <algorithm>
#include <cmath>

#include "core/factor.hpp"
#include "core/parallel.hpp"
#include "synthetic/posing.hpp"
#include "synthetic/shapes.hpp"

namespace marrow::synthetic {
namespace {

constexpr double cycle = 60;  // frames of one swing of the slowest mode, approximately

/// One mode of the wobble: a map of space that preserves volume. A stretch has determinant 1; a twist rotates every
/// slice as a whole; a shear slides every line along `axis` as a whole.
struct Mode {
  enum class Kind { stretch, twist, shear } kind;
  Eigen::Quaterniond frame;  // its z axis is the axis of the mode
  double size;
  double waves;      // of a shear across the ball, radians per unit
  double swings;     // per cycle, whole
  double lag;        // cycles
  double place_lag;  // of a shear, radians
};

std::vector<Mode> random_modes(Random random) {
  const auto frame = [&] {
    const Point axis = Point(random.normal(), random.normal(), random.normal()).normalized();
    return turn_between(Point::UnitZ(), axis);
  };
  const auto mode = [&](Mode::Kind kind, double size, double waves, double swings) {
    const Eigen::Quaterniond turned = frame();
    const double lag = random.uniform(), place_lag = random.uniform(0, 2 * pi);
    return Mode{kind, turned, size * random.uniform(0.8, 1.2), waves, swings, lag, place_lag};
  };
  using enum Mode::Kind;
  return {mode(stretch, 0.30, 0, 1), mode(shear, 0.24, 1.7, 1), mode(twist, 0.6, 0, 1),
          mode(shear, 0.14, 2.6, 2), mode(stretch, 0.08, 0, 2), mode(shear, 0.05, 3.4, 3)};
}

Point apply(const Mode& mode, const Point& p, double phase) {
  const double swing = mode.size * std::sin(2 * pi * (mode.swings * phase + mode.lag));
  Point q = mode.frame.conjugate() * p;
  switch (mode.kind) {
    case Mode::Kind::stretch: {
      const double across = std::exp(-swing / 2);
      q = q.cwiseProduct(Point(across, across, std::exp(swing)));
      break;
    }
    case Mode::Kind::twist:
      q = Eigen::AngleAxisd(swing * q.z(), Point::UnitZ()) * q;
      break;
    case Mode::Kind::shear:
      q.z() += swing * std::sin(mode.waves * q.x() + mode.place_lag) * std::cos(0.8 * q.y());
      break;
  }
  return mode.frame * q;
}

}  // namespace

Sequence jelly(const Options& options) {
  check_ranges(options);
  Sequence sequence{ball(std::max<std::size_t>(options.vertices, 24)),
                    Timeline::uniform(options.frames, frames_per_second, "wobble"),
                    {}};
  sequence.positions.resize(sequence.frames() * sequence.vertices());
  const std::vector<Mode> modes = random_modes(random_stream(options.seed, 0));
  const auto frames = double(options.frames);
  const double cycles = std::max(1.0, std::round(frames / cycle));
  parallel_for({}, sequence.frames(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const double phase = cycles * double(t) / frames;
      for (std::size_t i = 0; i < sequence.vertices(); ++i) {
        Point p = to_point(sequence.mesh.positions[i]);
        for (const Mode& mode : modes) p = apply(mode, p, phase);
        sequence.frame(t)[i] = to_vec3(p);
      }
    }
  });
  add_noise(sequence, options, {});
  return sequence;
}

}  // namespace marrow::synthetic
