#include "io/natural_order.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>

namespace marrow {
namespace {

constexpr std::string_view all_digits = "0123456789";

/// Removes the first piece of a non-empty text and returns it: a run of digits, or one other character.
std::string_view take_piece(std::string_view& text) {
  const std::size_t run = std::min(text.find_first_not_of(all_digits), text.size());
  const std::string_view piece = text.substr(0, std::max<std::size_t>(run, 1));
  text.remove_prefix(piece.size());
  return piece;
}

bool is_number(std::string_view piece) {
  return all_digits.find(piece.front()) != all_digits.npos;
}

std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  // Without leading zeros, the longer number is the larger one.
  return a.size() != b.size() ? a.size() <=> b.size() : a <=> b;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view rest_a = a, rest_b = b;
  while (!rest_a.empty() && !rest_b.empty()) {
    const std::string_view x = take_piece(rest_a), y = take_piece(rest_b);
    const std::strong_ordering order = is_number(x) && is_number(y) ? compare_numbers(x, y) : x <=> y;
    if (std::is_neq(order)) return std::is_lt(order);
  }
  if (rest_a.empty() != rest_b.empty()) return rest_a.empty();
  // The texts differ only in leading zeros.
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace marrow
