#pragma once

#include <Eigen/Geometry>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/glb_document.hpp"
#include "marrow/math.hpp"

namespace marrow::glb {

/// A node's transform relative to its parent, as animations change it.
struct Placement {
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();  // unit length
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();
};

/// The quaternion (x, y, z, w) at unit length; the identity if it is zero or not finite.
Eigen::Quaterniond unit_quaternion(double x, double y, double z, double w);

struct Node {
  std::string name;
  std::optional<std::size_t> parent, mesh, skin;
  std::optional<Affine> matrix;  // instead of a placement
  bool visible = false;          // part of the scene that is shown
};

/// The animated state: placement and morph weights per node.
struct Pose {
  std::vector<Placement> placements;
  std::vector<std::vector<double>> weights;
};

struct Scene {
  std::vector<Node> nodes;
  std::vector<std::size_t> order;  // all nodes, parents before children
  Pose pose;                       // the file's pose without animation
};

/// Fails unless the nodes form trees.
Scene read_scene(const Document& document);

/// Node to world, one per node.
std::vector<Affine> world_transforms(const Scene& scene, std::span<const Placement> placements);

}  // namespace marrow::glb
