#pragma once

#include "marrow/two_layer.hpp"
#include "two_layer/factorise.hpp"

namespace marrow::two_layer {

DenseWeights dense(const Weights& weights, std::size_t bones);
/// Rows are normalised.
DenseWeights dense(const Matrix& matrix);

/// Weights for a plain skin: the positive ones, normalised.
Weights positive_part(const DenseWeights& weights);
/// The `count` largest of each row, normalised.
Weights largest(const Weights& weights, std::size_t count);

/// Sets both layers of the rig; drops unused atoms and zero values.
void to_layers(const Factors& factors, TwoLayerRig& rig);
/// Also sets rest pose and motion: the refitted ones, or those of `given`.
void to_layers(const Factors& factors, const Rig& given, TwoLayerRig& rig);

/// Delta_W of Eq. 1a, times 1000.
double weight_error(const DenseWeights& weights, const Factors& factors, const Run& run);

}  // namespace marrow::two_layer
