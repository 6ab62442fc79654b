// What a vertex looks through to find its virtual bones. Built once per instruction-set level with MARROW_LEVEL set;
// see src/CMakeLists.txt. Lanes never meet in a sum, so every level gives the same bits.
#include "two_layer/kernels/search.hpp"

#include "core/kernel_level.hpp"

namespace marrow::kernels::MARROW_LEVEL {
namespace {

/// Floats per register of this level.
constexpr size_t float_width = register_bytes / sizeof(float);
// NOLINTBEGIN(modernize-use-using): the attribute only binds to a typedef.
typedef float Floats __attribute__((vector_size(register_bytes), aligned(4), may_alias));
typedef int32_t Integers __attribute__((vector_size(register_bytes), aligned(4), may_alias));
// NOLINTEND(modernize-use-using)

inline const Floats& at(const float* p) {
  return *reinterpret_cast<const Floats*>(p);
}
inline Floats& put_at(float* p) {
  return *reinterpret_cast<Floats*>(p);
}
inline Floats in_all(float v) {
  return v - Floats{};
}
inline Floats least_of(Floats a, Floats b) {
  return a < b ? a : b;
}
inline Floats largest_of(Floats a, Floats b) {
  return a > b ? a : b;
}

inline float least_lane(const Floats& values) {
  float lanes[float_width];
  put_at(lanes) = values;
  for (size_t half = float_width / 2; half > 0; half /= 2) {
    for (size_t l = 0; l < half; ++l) lanes[l] = lanes[l + half] < lanes[l] ? lanes[l + half] : lanes[l];
  }
  return lanes[0];
}

constexpr float float_infinity = __builtin_inff();

/// Eq. (6) from squared lengths rr, ss and product rs of two atoms minus the weights.
inline Floats pair_error(Floats rr, Floats ss, Floats rs, Floats low, Floats high, Floats tiny) {
  const Floats rise = ss - rs, breadth = largest_of(rr - rs + rise, tiny);
  const Floats t = least_of(largest_of(rise / breadth, low), high);
  return ss - t * (2 * rise - t * breadth);
}

}  // namespace

void add_product(size_t bones, size_t count, const float* left, const float* right, float* result) {
  constexpr size_t rows = 4;
  for (size_t first = 0; first < count; first += float_width) {
    for (size_t r = 0; r < count; r += rows) {
      Floats sum[rows] = {};
      for (size_t j = 0; j < bones; ++j) {
        const Floats b = at(right + j * code_stride + first);
        const float* a = left + j * code_stride + r;
        for (size_t q = 0; q < rows; ++q) sum[q] += a[q] * b;
      }
      for (size_t q = 0; q < rows; ++q) put_at(result + (r + q) * code_stride + first) += sum[q];
    }
  }
}

void turn(size_t bones, size_t count, const float* form, const float* columns, float* result) {
  constexpr size_t rows = 4;
  for (size_t first = 0; first < count; first += float_width) {
    size_t a = 0;
    for (; a + rows <= bones; a += rows) {
      Floats sum[rows] = {};
      for (size_t b = 0; b < bones; ++b) {
        const Floats column = at(columns + b * code_stride + first);
        for (size_t q = 0; q < rows; ++q) sum[q] += form[(a + q) * bones + b] * column;
      }
      for (size_t q = 0; q < rows; ++q) put_at(result + (a + q) * code_stride + first) = sum[q];
    }
    for (; a < bones; ++a) {
      Floats sum = {};
      for (size_t b = 0; b < bones; ++b) sum += form[a * bones + b] * at(columns + b * code_stride + first);
      put_at(result + a * code_stride + first) = sum;
    }
  }
}

void contract(size_t size, size_t forms, const float* tables, const float* factors, float* result) {
  size_t e = 0;
  for (; e + float_width <= size; e += float_width) {
    Floats sum = {};
    for (size_t f = 0; f < forms; ++f) sum += factors[f] * at(tables + f * size + e);
    put_at(result + e) = sum;
  }
  for (; e < size; ++e) {
    float sum = 0;
    for (size_t f = 0; f < forms; ++f) sum += factors[f] * tables[f * size + e];
    result[e] = sum;
  }
}

void pair_errors(const float* gram, size_t count, float low, float high, float* errors, float* least) {
  float diagonal[code_stride] = {}, place[code_stride];
  for (size_t c = 0; c < count; ++c) diagonal[c] = gram[c * code_stride + c];
  for (size_t c = 0; c < code_stride; ++c) place[c] = float(c);
  const Floats lows = in_all(low), highs = in_all(high), tiny = in_all(1e-30F), nothing = in_all(float_infinity),
               end = in_all(float(count));
  for (size_t r = 0; r + 1 < count; ++r) {
    const Floats rr = in_all(diagonal[r]), own = in_all(float(r));
    Floats smallest = nothing;
    for (size_t first = (r + 1) / float_width * float_width; first < count; first += float_width) {
      const Floats error = pair_error(rr, at(diagonal + first), at(gram + r * code_stride + first), lows, highs, tiny);
      const Floats column = at(place + first);
      const Floats valid = ((column > own) & (column < end)) ? error : nothing;
      put_at(errors + r * code_stride + first) = valid;
      smallest = least_of(valid, smallest);
    }
    least[r] = least_lane(smallest);
  }
}

void line_gains(const float* gram, const float* diagonal, size_t count, const BlendView& blend, bool backwards,
                float* result) {
  const Floats none = {}, tiny = in_all(1e-30F), error = in_all(blend.error);
  for (size_t first = 0; first < count; first += float_width) {
    Floats products = {};
    for (size_t s = 0; s < blend.count; ++s) {
      products += blend.values[s] * at(gram + blend.candidates[s] * code_stride + first);
    }
    const Floats fall = error - products, length = fall - products + at(diagonal + first);
    const Floats gain = fall * fall / largest_of(length, tiny);
    put_at(result + first) = backwards ? gain : (fall > none ? gain : none);
  }
}

void distances(const AtomTiles& atoms, const float* weights, float* result, float* least) {
  for (size_t tile = 0; tile < atoms.tiles; ++tile) {
    Floats smallest = in_all(float_infinity);
    for (size_t part = 0; part < atom_lanes; part += float_width) {
      const float* values = atoms.values + tile * atoms.bones * atom_lanes + part;
      Floats sum = {};
      for (size_t j = 0; j < atoms.bones; ++j) {
        const Floats difference = at(values + j * atom_lanes) - weights[j];
        sum += difference * difference;
      }
      put_at(result + tile * atom_lanes + part) = sum;
      smallest = least_of(sum, smallest);
    }
    least[tile] = least_lane(smallest);
  }
}

void partners(const AtomTiles& atoms, const PartnerProblem& problem, uint32_t* result) {
  const Floats low = {}, high = in_all(1), tiny = in_all(1e-12F);
  float least[partnered_atoms];
  for (float& l : least) l = float_infinity;
  for (size_t part = 0; part < atom_lanes; part += float_width) {
    Floats best[partnered_atoms];
    Integers where[partnered_atoms] = {};
    // By index: a reference would promise the alignment that the type leaves out.
    // NOLINTNEXTLINE(modernize-loop-convert)
    for (size_t p = 0; p < partnered_atoms; ++p) best[p] = in_all(float_infinity);
    for (size_t tile = 0; tile < atoms.tiles; ++tile) {
      const float* values = atoms.values + tile * atoms.bones * atom_lanes + part;
      Floats rs[partnered_atoms] = {};
      for (size_t j = 0; j < atoms.bones; ++j) {
        const Floats difference = at(values + j * atom_lanes) - problem.weights[j];
        const float* e = problem.differences + j * partnered_atoms;
        for (size_t p = 0; p < partnered_atoms; ++p) rs[p] += e[p] * difference;
      }
      const Floats ss = at(problem.distances + tile * atom_lanes + part);
      const Integers now = int32_t(tile) - Integers{};
      for (size_t p = 0; p < partnered_atoms; ++p) {
        const Floats error = pair_error(in_all(problem.norms[p]), ss, rs[p], low, high, tiny);
        where[p] = error < best[p] ? now : where[p];
        best[p] = least_of(error, best[p]);
      }
    }
    for (size_t p = 0; p < partnered_atoms; ++p) {
      for (size_t l = 0; l < float_width; ++l) {
        const auto atom = uint32_t(where[p][l]) * uint32_t(atom_lanes) + uint32_t(part + l);
        if (best[p][l] < least[p] || (best[p][l] == least[p] && atom < result[p])) {
          least[p] = best[p][l];
          result[p] = atom;
        }
      }
    }
  }
}

void lines(const AtomTiles& atoms, const AtomTiles& squares, const LineProblem& problem, const Line* starts,
           float* result, float* least) {
  // Differences below this share of the squares are rounding errors.
  const Floats none = {}, all = in_all(1), rounding = in_all(1e-5F);
  for (size_t tile = 0; tile < atoms.tiles; ++tile) {
    Floats smallest[line_count];
    // By index, as above. NOLINTNEXTLINE(modernize-loop-convert)
    for (size_t l = 0; l < line_count; ++l) smallest[l] = in_all(float_infinity);
    for (size_t part = 0; part < atom_lanes; part += float_width) {
      const float* values = atoms.values + tile * atoms.bones * atom_lanes + part;
      Floats products[line_count + 1] = {}, squared = {};
      for (size_t j = 0; j < atoms.bones; ++j) {
        const Floats d = at(values + j * atom_lanes);
        const float* q = problem.turned + j * (line_count + 1);
        for (size_t l = 0; l <= line_count; ++l) products[l] += q[l] * d;
      }
      const float* forms = squares.values + tile * squares.bones * atom_lanes + part;
      for (size_t f = 0; f < squares.bones; ++f) squared += problem.moments[f] * at(forms + f * atom_lanes);
      for (size_t c = 0; c < 3 && problem.moves != nullptr; ++c) {
        Floats along = {};
        for (size_t j = 0; j < atoms.bones; ++j)
          along += problem.moves[c * atoms.bones + j] * at(values + j * atom_lanes);
        squared -= along * along;
      }
      for (size_t l = 0; l < line_count; ++l) {
        const Line& start = starts[l];
        const Floats slope = products[l] + products[line_count] - (start.squared + start.linear);
        const Floats curve =
            largest_of(squared - 2 * products[l] + start.squared, rounding * (squared + start.squared));
        const Floats t = least_of(largest_of(-slope / curve, none), all);
        const Floats change =
            t * (2 * slope + t * curve) + none;  // + 0: of 0 and -0 the least would depend on the order
        put_at(result + (l * atoms.tiles + tile) * atom_lanes + part) = change;
        smallest[l] = least_of(change, smallest[l]);
      }
    }
    for (size_t l = 0; l < line_count; ++l) least[l * atoms.tiles + tile] = least_lane(smallest[l]);
  }
}

}  // namespace marrow::kernels::MARROW_LEVEL
