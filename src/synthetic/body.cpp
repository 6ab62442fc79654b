#include "synthetic/body.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace marrow::synthetic {
namespace {

constexpr std::size_t capsules_per_span = 5;
// Ignores limbs that are this many times `blend` farther away than the nearest. They would change the soft minimum by
// less than 5e-5 * blend, and far limbs need not be computed.
constexpr double cutoff = 10;

using Node4 = Eigen::Vector4d;  // place and radius

Node4 pack(const Node& node) {
  return {node.place.x(), node.place.y(), node.place.z(), node.radius};
}

/// Samples the cubic Hermite curve through the nodes. Tangents are differences over chord lengths, so that unevenly
/// spaced nodes cause no overshoot.
std::vector<Node> refine(const std::vector<Node>& nodes) {
  const std::size_t last = nodes.size() - 1;
  const auto chord = [&](std::size_t i) { return (nodes[i + 1].place - nodes[i].place).norm(); };
  const auto tangent = [&](std::size_t i) -> Node4 {
    const std::size_t a = i == 0 ? 0 : i - 1, b = std::min(i + 1, last);
    return (pack(nodes[b]) - pack(nodes[a])) / ((a < i ? chord(a) : 0) + (i < b ? chord(i) : 0));
  };
  std::vector<Node> fine{nodes.front()};
  for (std::size_t i = 0; i < last; ++i) {
    const Node4 p = pack(nodes[i]), q = pack(nodes[i + 1]);
    const Node4 u = chord(i) * tangent(i), v = chord(i) * tangent(i + 1);
    for (std::size_t step = 1; step <= capsules_per_span; ++step) {
      const double s = double(step) / capsules_per_span, r = 1 - s;
      const Node4 x = (1 + 2 * s) * r * r * p + s * r * r * u + s * s * (3 - 2 * s) * q - s * s * r * v;
      fine.push_back({x.head<3>(), x[3]});
    }
  }
  return fine;
}

}  // namespace

Body::Body(std::span<const Limb> limbs, double blend) : limbs_(limbs.size()), blend_(blend) {
  assert(limbs.size() <= most_limbs);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  low_ = Point::Constant(infinity);
  high_ = Point::Constant(-infinity);
  for (std::size_t l = 0; l < limbs.size(); ++l) {
    const std::vector<Node> nodes = refine(limbs[l].nodes);
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
      add_capsule(nodes[i], nodes[i + 1], limbs[l].narrowing, std::uint32_t(l));
    }
    for (const Node& node : nodes) {
      low_ = low_.cwiseMin(node.place - Point::Constant(node.radius));
      high_ = high_.cwiseMax(node.place + Point::Constant(node.radius));
    }
  }
  // The soft minimum is at most blend * log(limbs) below the minimum.
  const Point margin = Point::Constant(blend * std::log(double(limbs.size())));
  low_ -= margin;
  high_ += margin;
}

void Body::add_capsule(const Node& a, const Node& b, double narrowing, std::uint32_t limb) {
  const Point scale(narrowing, 1, 1);
  const Point from = a.place.cwiseProduct(scale), axis = b.place.cwiseProduct(scale) - from;
  const double change = b.radius - a.radius;
  capsules_.push_back({from.x(), from.y(), from.z(), axis.x(), axis.y(), axis.z(), 1 / axis.squaredNorm(), a.radius,
                       change, narrowing, limb});
  limb_area_ += pi * (a.radius + b.radius) * axis.norm();
  // The gradients of distance and radius are perpendicular.
  steepest_ = std::max(steepest_, narrowing * std::hypot(1.0, change / axis.norm()));
}

Body::Parts Body::all_parts() const {
  Parts parts(capsules_.size());
  std::iota(parts.begin(), parts.end(), 0u);
  return parts;
}

double Body::distance(const Capsule& c, double px, double py, double pz) {
  const double dx = px * c.narrowing - c.x, dy = py - c.y, dz = pz - c.z;
  const double along = (dx * c.ax + dy * c.ay + dz * c.az) * c.inverse_length2;
  const double s = along < 0 ? 0 : (along > 1 ? 1 : along);
  const double x = dx - s * c.ax, y = dy - s * c.ay, z = dz - s * c.az;
  return std::sqrt(x * x + y * y + z * z) - (c.radius + s * c.radius_change);
}

double Body::soft_minimum(const LimbDistances& distances) const {
  double least = distances[0];
  for (std::size_t l = 1; l < limbs_; ++l) least = std::min(least, distances[l]);
  double sum = 0;
  for (std::size_t l = 0; l < limbs_; ++l) {
    const double farther = (distances[l] - least) / blend_;
    if (farther < cutoff) sum += std::exp(-farther);
  }
  return least - blend_ * std::log(sum);
}

double Body::value(double x, double y, double z, const Parts& parts) const {
  LimbDistances distances;
  distances.fill(std::numeric_limits<double>::infinity());
  for (const std::uint32_t part : parts) {
    const Capsule& capsule = capsules_[part];
    distances[capsule.limb] = std::min(distances[capsule.limb], distance(capsule, x, y, z));
  }
  return soft_minimum(distances);
}

double Body::narrow(const Point& centre, double radius, const Parts& parts, Parts& kept) const {
  LimbDistances distances;
  distances.fill(std::numeric_limits<double>::infinity());
  std::vector<double> each;
  each.reserve(parts.size());
  for (const std::uint32_t part : parts) {
    const Capsule& capsule = capsules_[part];
    each.push_back(distance(capsule, centre.x(), centre.y(), centre.z()));
    distances[capsule.limb] = std::min(distances[capsule.limb], each.back());
  }
  // Within the ball, the difference of two distances changes by at most this much.
  const double play = 2 * radius * steepest_ * (1 + 1e-9);
  const double nearest = *std::ranges::min_element(distances);
  kept.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double limb = distances[capsules_[parts[i]].limb];
    if (each[i] <= limb + play && limb <= nearest + play + cutoff * blend_) kept.push_back(parts[i]);
  }
  return soft_minimum(distances);
}

}  // namespace marrow::synthetic
