#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.hpp"
#include "synthetic/cloth.hpp"
#include "synthetic/posing.hpp"

namespace marrow::synthetic {
namespace {

constexpr std::size_t most_columns = 30, most_rows = 40;  // of the simulation; finer meshes are interpolated
constexpr int steps_per_frame = 18;
constexpr double settling = 1.5;  // seconds simulated before the first frame
constexpr double cape_height = 1.4, shoulder_height = 1.5;

struct GridSize {
  std::size_t columns, rows;
};

/// A grid of about `vertices` points with rows : columns = 4 : 3.
GridSize grid_for(std::size_t vertices) {
  const auto n = double(vertices);
  const auto columns = std::size_t(std::max(std::round(std::sqrt(n * 0.75)), 4.0));
  const auto rows = std::size_t(std::max(std::round(n / double(columns)), 5.0));
  return {columns, rows};
}

/// Half a cone around the wearer's back; (u, v) in [0, 1]^2 from the top left. The wearer faces +z.
Point rest_place(double u, double v) {
  const double a = radians(75) * (2 * u - 1), width = 1 + 0.55 * v;
  return {0.36 * width * std::sin(a), shoulder_height - cape_height * v, -0.22 * width * std::cos(a)};
}

bool on_shoulder(double u, double v) {
  return v == 0 && (u <= 0.34 || u >= 0.66);
}

/// Sway, bob and turn of the walking wearer's shoulders.
class Walk {
 public:
  explicit Walk(Random random) : lag_(random.uniform()) {}

  void pin(std::span<const Point> rest, double time, std::span<Point> places) const {
    const Eigen::Matrix3d turned = Eigen::AngleAxisd(yaw(time), Point::UnitY()).toRotationMatrix();
    const Point middle = place(time);
    for (std::size_t i = 0; i < rest.size(); ++i) places[i] = middle + turned * (rest[i] - chest_);
  }
  /// Pushes points out of the wearer's body, an upright elliptic cylinder that moves with the shoulders.
  void keep_out(double time, std::span<Point> places) const {
    const double c = std::cos(yaw(time)), s = std::sin(yaw(time));
    const Point middle = place(time);
    for (Point& p : places) {
      const double dx = p.x() - middle.x(), dz = p.z() - middle.z();
      const double across = c * dx - s * dz, ahead = s * dx + c * dz;
      const double q = std::hypot(across / 0.27, ahead / 0.15);
      if (q >= 1 || q == 0) continue;
      p.x() = middle.x() + dx / q;
      p.z() = middle.z() + dz / q;
    }
  }

 private:
  double wave(double time, double swings) const { return std::sin(2 * pi * swings * (time / 1.1 + lag_)); }
  double yaw(double time) const { return radians(14 * wave(time, 1) + 10 * wave(time, 0.25)); }
  Point place(double time) const {
    return chest_ + Point(0.05 * wave(time, 1), 0.03 * wave(time, 2), 0.06 * wave(time, 0.5));
  }

  Point chest_{0, shoulder_height, 0};
  double lag_;
};

/// A head wind with gusts: a sum of waves that travel along the cloth.
class Wind {
 public:
  explicit Wind(Random random) {
    for (Gust& gust : gusts_) {
      gust = {random.uniform(0.2, 1.6), random.uniform(0, 2 * pi), random.uniform(0.5, 1.6), random.uniform(-3, 3),
              random.uniform(2, 5)};
    }
  }
  Point operator()(const Point& p, double time) const {
    double along = 0, across = 0;
    for (const Gust& g : gusts_) {
      const double angle = 2 * pi * g.rate * time + g.lag + g.kx * p.x() + g.ky * p.y();
      along += g.speed * std::sin(angle);
      across += g.speed * std::sin(1.3 * angle + 1);
    }
    return {0.35 * across, 0.2 * along, -2.8 - along};
  }

 private:
  struct Gust {
    double rate, lag, speed, kx, ky;
  };
  std::array<Gust, 4> gusts_;
};

double from_side_to_side(std::size_t i, std::size_t count) {
  return double(i) / double(count - 1);
}

template <class Value, class Make>
std::vector<Value> over_grid(const GridSize& size, Make make) {
  std::vector<Value> out;
  out.reserve(size.columns * size.rows);
  for (std::size_t r = 0; r < size.rows; ++r) {
    for (std::size_t c = 0; c < size.columns; ++c) {
      out.push_back(make(from_side_to_side(c, size.columns), from_side_to_side(r, size.rows)));
    }
  }
  return out;
}

Mesh cape_mesh(const GridSize& size) {
  Mesh mesh;
  mesh.positions = over_grid<Vec3>(size, [](double u, double v) { return to_vec3(rest_place(u, v)); });
  mesh.uvs = over_grid<Vec2>(size, [](double u, double v) -> Vec2 { return {float(u), float(1 - v)}; });
  for (std::size_t r = 0; r + 1 < size.rows; ++r) {
    for (std::size_t c = 0; c + 1 < size.columns; ++c) {
      const std::size_t i = r * size.columns + c, below = i + size.columns;
      add_face(mesh, i, i + 1, below + 1, below);
    }
  }
  mesh.corner_uvs = mesh.face_vertices;
  return mesh;
}

/// Catmull-Rom weights at `x` for `count` points at 0, 1, ..., and the first of the four points. At the ends the points
/// are extrapolated linearly, which folds the outer weight into its neighbours.
struct Stencil {
  std::size_t first;
  std::array<double, 4> weights;
};

Stencil stencil(double x, std::size_t count) {
  const auto cell = std::min(std::size_t(x), count - 2);
  const double s = x - double(cell), s2 = s * s, s3 = s2 * s;
  std::array<double, 4> w{(-s + 2 * s2 - s3) / 2, (2 - 5 * s2 + 3 * s3) / 2, (s + 4 * s2 - 3 * s3) / 2, (s3 - s2) / 2};
  if (cell == 0) {
    w = {w[1] + 2 * w[0], w[2] - w[0], w[3], 0};
    return {0, w};
  }
  if (cell == count - 2) {
    w = {0, w[0], w[1] - w[3], w[2] + 2 * w[3]};
    return {count - 4, w};
  }
  return {cell - 1, w};
}

/// Simulates on the coarse grid; returns the particles per frame.
std::vector<std::vector<Point>> simulate(const GridSize& size, const Options& options, const Run& run) {
  Cloth cloth(size.columns, size.rows, over_grid<Point>(size, rest_place), over_grid<bool>(size, on_shoulder));
  const Walk walk(random_stream(options.seed, ~std::uint64_t(0)));
  const Wind wind(random_stream(options.seed, ~std::uint64_t(1)));
  const ClothWorld world{[&](auto rest, double time, auto places) { walk.pin(rest, time, places); },
                         [&](auto places, double time, auto air) {
                           std::ranges::transform(places, air.begin(), [&](const Point& p) { return wind(p, time); });
                         },
                         [&](double time, auto places) { walk.keep_out(time, places); }};
  constexpr double frame = 1 / frames_per_second;
  std::vector<std::vector<Point>> frames;
  cloth.start(world, -settling);
  for (double time = -settling; time < -frame / 2; time += frame) {
    run.check_stop("synthetic::cape");
    cloth.advance(world, time, time + frame, steps_per_frame);
  }
  for (std::size_t t = 0; t < options.frames; ++t) {
    run.check_stop("synthetic::cape");
    const double time = double(t) * frame;
    frames.emplace_back(cloth.places().begin(), cloth.places().end());
    cloth.advance(world, time, time + frame, steps_per_frame);
    run.report({.stage = "simulating cloth", .fraction = double(t + 1) / double(options.frames)});
  }
  return frames;
}

/// Interpolates one row of the fine grid: between coarse rows, then along the row.
void interpolate_row(const std::vector<Point>& coarse, const GridSize& from, const GridSize& to, std::size_t row,
                     std::span<const Stencil> across, std::span<Vec3> out) {
  const Stencil down = stencil(from_side_to_side(row, to.rows) * double(from.rows - 1), from.rows);
  std::vector<Point> line(from.columns, Point::Zero());
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t c = 0; c < from.columns; ++c) {
      line[c] += down.weights[r] * coarse[(down.first + r) * from.columns + c];
    }
  }
  for (std::size_t c = 0; c < to.columns; ++c) {
    Point p = Point::Zero();
    for (std::size_t q = 0; q < 4; ++q) p += across[c].weights[q] * line[across[c].first + q];
    out[c] = to_vec3(p);
  }
}

}  // namespace

Sequence cape(const Options& options, const Run& run) {
  check_ranges(options);
  const GridSize fine = grid_for(options.vertices);
  const GridSize coarse{std::min(fine.columns, most_columns), std::min(fine.rows, most_rows)};
  const std::vector<std::vector<Point>> frames = simulate(coarse, options, run);

  Sequence sequence{cape_mesh(fine), Timeline::uniform(options.frames, frames_per_second, "cape"), {}};
  sequence.positions.resize(sequence.frames() * sequence.vertices());
  std::vector<Stencil> across;
  for (std::size_t c = 0; c < fine.columns; ++c) {
    across.push_back(stencil(from_side_to_side(c, fine.columns) * double(coarse.columns - 1), coarse.columns));
  }
  parallel_for(run, "interpolating cloth", options.frames * fine.rows, fine.rows,
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t i = begin; i < end; ++i) {
                   const std::size_t t = i / fine.rows, row = i % fine.rows;
                   interpolate_row(frames[t], coarse, fine, row, across,
                                   sequence.frame(t).subspan(row * fine.columns, fine.columns));
                 }
               });
  add_noise(sequence, options, run);
  return sequence;
}

}  // namespace marrow::synthetic
