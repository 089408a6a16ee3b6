# clp_embed(out.c file.cl …): writes a C file that holds each kernel source as bytes, without Python.
# A byte array, not a string literal: compilers limit the length of literals.
function(clp_embed out)
  set(target ${CMAKE_CURRENT_BINARY_DIR}/${out})
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  add_custom_command(OUTPUT ${target}
    COMMAND ${CMAKE_COMMAND} "-DOUT=${target}" "-DFILES=${sources}" -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_script.cmake
    DEPENDS ${sources} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_script.cmake
    COMMENT "Embedding kernel sources" VERBATIM)
endfunction()
