# Writes OUTPUT, a C++ source with the text of PAGE (empty if PAGE is empty).
set(text "")
if(PAGE)
  file(READ "${PAGE}" text)
  if(text MATCHES "\\)page\"")
    message(FATAL_ERROR "${PAGE} contains )page\", which ends the C++ string it is put into; rename that string")
  endif()
endif()
file(WRITE "${OUTPUT}" "#include \"view/template.hpp\"

namespace marrow::view {

std::string_view page_template() {
  return R\"page(${text})page\";
}

}  // namespace marrow::view
")
