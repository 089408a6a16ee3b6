# Warnings for our own targets: clp_warnings(target).
function(clp_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<C_COMPILER_ID:GNU,Clang,AppleClang>:-Wall -Wextra -Wpedantic -Wshadow -Wvla -Wconversion
      -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef>)
  if(CLP_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
