#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace marrow::testing {

/// One row of a file of ceilings: settings, and the error that they must stay under.
struct Ceiling {
  std::string line;
  std::map<std::string, std::string> cells;  ///< by the names of the columns
  double error = 0;

  const std::string& text(const std::string& column) const { return cells.at(column); }
  std::size_t count(const std::string& column) const { return std::stoul(text(column)); }
  double number(const std::string& column) const { return std::stod(text(column)); }
};

/// Rows of tests/data/NAME. The last comment before the first row names the columns; the last of them is the ceiling.
inline std::vector<Ceiling> read_ceilings(const std::string& name) {
  std::ifstream file(std::filesystem::path(MARROW_TEST_DATA) / name);
  std::vector<Ceiling> rows;
  std::vector<std::string> columns;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::vector<std::string> cells;
    for (std::string word; words >> word;) cells.push_back(word);
    if (cells.empty()) continue;
    if (cells[0] == "#") {
      columns.assign(cells.begin() + 1, cells.end());
      continue;
    }
    if (cells.size() != columns.size()) throw std::runtime_error(name + ": a row does not fit the columns: " + line);
    Ceiling row{.line = name + ": " + line, .cells = {}, .error = std::stod(cells.back())};
    for (std::size_t k = 0; k < cells.size(); ++k) row.cells[columns[k]] = cells[k];
    rows.push_back(row);
  }
  if (rows.empty()) throw std::runtime_error(name + ": no rows");
  return rows;
}

inline void expect_below(const Ceiling& row, double error) {
  EXPECT_LT(error, row.error) << row.line;
}

}  // namespace marrow::testing
