#include "ddm_compression/examples.hpp"

namespace marrow::ddm_compression {

void Examples::set_targets(Matrix targets) {
  targets_ = std::move(targets);
  squares_.resize(std::size_t(targets_.cols()));
  for (Index i = 0; i < targets_.cols(); ++i) squares_[std::size_t(i)] = targets_.col(i).squaredNorm();
}

}  // namespace marrow::ddm_compression
