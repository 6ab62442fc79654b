#include "lbs/products.hpp"

#include "core/parallel.hpp"
#include "lbs/dispatch.hpp"
#include "lbs/kernels/products.hpp"

namespace marrow::lbs {

RowMatrix transposed_product(const RowMatrix& a, const RowMatrix& b, const Run& run) {
  RowMatrix c(a.cols(), b.cols());
  const auto n = std::size_t(a.cols()), m = std::size_t(b.cols());
  const auto rows = std::size_t(a.rows());
  const kernels::ProductFunction product = kernels::product_kernel();
  parallel_for(run, n, 64, [&](std::size_t begin, std::size_t end) {
    product(rows, end - begin, m, {a.data() + begin, n}, {b.data(), m}, c.data() + begin * m, m);
  });
  return c;
}

}  // namespace marrow::lbs
