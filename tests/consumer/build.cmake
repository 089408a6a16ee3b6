# Builds examples/sum.c the way that MODE says, runs it and compares what it prints.
cmake_minimum_required(VERSION 3.21)
set(work ${OUT}/${MODE})
set(prefix ${OUT}/prefix)
set(program ${work}/sum)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})

# A CMake project in the folder project/, which links the target TARGET.
function(build_project)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer/project -B ${work} -G ${GENERATOR}
    -DCMAKE_C_COMPILER=${CC} -DCMAKE_C_FLAGS=${CFLAGS} -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
    -DEXAMPLE=${SOURCE}/examples/sum.c ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${work} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# One compiler call with what pkg-config says for the tree under `prefix`.
function(build_pkgconfig prefix)
  if(NOT PKG_CONFIG)
    message(FATAL_ERROR "pkg-config is not installed")
  endif()
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  execute_process(COMMAND ${PKG_CONFIG} ${ARGN} --cflags --libs clpatterns OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${CFLAGS} ${flags}")
  execute_process(COMMAND ${CC} -std=c11 ${SOURCE}/examples/sum.c -o ${program} ${flags} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${PKG_CONFIG} --modversion clpatterns OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT version STREQUAL VERSION)
    message(FATAL_ERROR "clpatterns.pc says version ${version}, not ${VERSION}")
  endif()
  set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})
endfunction()

if(MODE STREQUAL package_shared)
  build_project(-DCMAKE_PREFIX_PATH=${prefix} -DTARGET=clpatterns::clpatterns -DREQUEST=${VERSION})
elseif(MODE STREQUAL package_static)
  build_project(-DCMAKE_PREFIX_PATH=${prefix} -DTARGET=clpatterns::static -DREQUEST=${VERSION})
elseif(MODE STREQUAL package_version)
  # A version that promises another ABI must be refused.
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer/project -B ${work} -G ${GENERATOR}
    -DCMAKE_C_COMPILER=${CC} -DCMAKE_PREFIX_PATH=${prefix} -DREQUEST=99.0 RESULT_VARIABLE result ERROR_VARIABLE errors
    OUTPUT_QUIET)
  if(NOT result OR NOT errors MATCHES "compatible with.*99\\.0")
    message(FATAL_ERROR "version 99.0 was not refused: ${errors}")
  endif()
  return()
elseif(MODE STREQUAL pkgconfig)
  build_pkgconfig(${prefix})
elseif(MODE STREQUAL pkgconfig_static)
  # A tree without the shared library, so that the linker has no choice.
  file(COPY ${prefix} DESTINATION ${work})
  file(GLOB_RECURSE shared ${work}/prefix/*.so ${work}/prefix/*.so.*)
  file(REMOVE ${shared})
  build_pkgconfig(${work}/prefix --static)
elseif(MODE STREQUAL subdirectory)
  build_project(-DTARGET=clpatterns::clpatterns -DSUBDIRECTORY=${SOURCE})
  file(GLOB tests ${work}/clpatterns/tests ${work}/clpatterns/bench)
  if(tests)
    message(FATAL_ERROR "a subproject builds tests or the program: ${tests}")
  endif()
else()
  message(FATAL_ERROR "no mode ${MODE}")
endif()

execute_process(COMMAND ${program} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "CLP_SUCCESS: 42\n")
  message(FATAL_ERROR "sum printed: ${output}")
endif()
# The static ways must not need the shared library, the others must.
execute_process(COMMAND ${READELF} -d ${program} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "NEEDED[^\n]*libclpatterns[^\n]*" needed "${dynamic}")
if(MODE MATCHES static AND needed OR NOT MODE MATCHES static AND NOT needed)
  message(FATAL_ERROR "linked against the wrong library: ${needed}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${MODE}: sum prints ${output}")
