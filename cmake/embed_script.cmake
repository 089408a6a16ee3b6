# Run by clp_embed(): FILES (a list) -> OUT (a C file that defines clp_embedded_sources[]).
set(arrays "")
set(table "")
set(index 0)
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char text_${index}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", (const char *)text_${index}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUT} "/* Generated from cl/ by cmake/embed_script.cmake. */\n#include \"embedded.h\"\n\n${arrays}\n"
  "const struct clp_embedded_source clp_embedded_sources[] = {\n${table}    {0, 0}};\n")
