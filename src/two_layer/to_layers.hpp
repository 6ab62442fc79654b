#pragma once

#include "marrow/two_layer.hpp"
#include "two_layer/factorise.hpp"

namespace marrow::two_layer {

DenseWeights dense(const Weights& weights, std::size_t bones);
/// Rows are divided by their sums.
DenseWeights dense(const Matrix& matrix);

/// What plain skins can have of it: the positive weights, divided by their sum.
Weights positive_part(const DenseWeights& weights);
/// The `count` largest of each row, divided by their sum.
Weights largest(const Weights& weights, std::size_t count);

/// Both layers of the rig. Atoms that no vertex uses and values of 0 are left out.
void to_layers(const Factors& factors, TwoLayerRig& rig);
/// And the rest pose and motion that belong to them: the given ones, where nothing has moved.
void to_layers(const Factors& factors, const Rig& given, TwoLayerRig& rig);

/// Delta_W of Eq. 1a, times 1000.
double weight_error(const DenseWeights& weights, const Factors& factors, const Run& run);

}  // namespace marrow::two_layer
