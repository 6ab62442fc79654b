// A^T B on plain arrays, tiled for registers. Built once per instruction-set level with MARROW_LEVEL set; see
// src/CMakeLists.txt. Lanes never meet in a sum, so every level gives the same bits.
#include "lbs/kernels/products.hpp"

#include "lbs/kernels/vector.hpp"

namespace marrow::kernels::MARROW_LEVEL {
namespace {

constexpr size_t tall = 4;             // columns of A per tile
constexpr size_t wide = 2;             // registers of columns of B per tile
constexpr size_t span = wide * width;  // columns of B per tile
constexpr size_t deep = 128;           // rows per pass: a strip of A and B stays in the cache

void full_tile(size_t rows, MatrixView a, MatrixView b, double* c, size_t c_stride) {
  Vec sum[tall][wide];
  for (size_t i = 0; i < tall; ++i) {
    for (size_t j = 0; j < wide; ++j) sum[i][j] = load(c + i * c_stride + j * width);
  }
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < wide; ++j) {
      const Vec x = load(b.data + r * b.stride + j * width);
      for (size_t i = 0; i < tall; ++i) sum[i][j] += a.data[r * a.stride + i] * x;
    }
  }
  for (size_t i = 0; i < tall; ++i) {
    for (size_t j = 0; j < wide; ++j) store(c + i * c_stride + j * width) = sum[i][j];
  }
}

void edge_tile(size_t rows, size_t n, size_t m, MatrixView a, MatrixView b, double* c, size_t c_stride) {
  double sum[tall][span];
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < m; ++j) sum[i][j] = c[i * c_stride + j];
  }
  for (size_t r = 0; r < rows; ++r) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < m; ++j) sum[i][j] += a.data[r * a.stride + i] * b.data[r * b.stride + j];
    }
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < m; ++j) c[i * c_stride + j] = sum[i][j];
  }
}

}  // namespace

void product(size_t rows, size_t n, size_t m, MatrixView a, MatrixView b, double* c, size_t stride) {
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < m; ++j) c[i * stride + j] = 0;
  }
  for (size_t first = 0; first < rows; first += deep) {
    const size_t now = rows - first < deep ? rows - first : deep;
    for (size_t j = 0; j < m; j += span) {
      for (size_t i = 0; i < n; i += tall) {
        const MatrixView a_strip{a.data + first * a.stride + i, a.stride},
            b_strip{b.data + first * b.stride + j, b.stride};
        if (i + tall <= n && j + span <= m) {
          full_tile(now, a_strip, b_strip, c + i * stride + j, stride);
        } else {
          edge_tile(now, n - i < tall ? n - i : tall, m - j < span ? m - j : span, a_strip, b_strip, c + i * stride + j,
                    stride);
        }
      }
    }
  }
}

}  // namespace marrow::kernels::MARROW_LEVEL
