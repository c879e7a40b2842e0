# What every target of the house shares, and the three ways to make one.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # proto/ goes into the plugin, too
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()
find_program(CDCSCOPE_CCACHE ccache)
if(CDCSCOPE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CDCSCOPE_CCACHE})
endif()

add_library(cdc_options INTERFACE)
target_compile_options(cdc_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees overlaps in std::string's own operator+ where there are none (its bug 105651), and members of a std::variant
    # that a moved-from temporary never had as read uninitialized (105562). Clang and the sanitizers look at both.
    target_compile_options(cdc_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
target_include_directories(cdc_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_definitions(cdc_options INTERFACE CDCSCOPE_VERSION="${PROJECT_VERSION}")
if(CDCSCOPE_SANITIZE)
    target_compile_options(cdc_options INTERFACE
        -fsanitize=${CDCSCOPE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(cdc_options INTERFACE -fsanitize=${CDCSCOPE_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # GCC has no such list
        target_compile_options(cdc_options INTERFACE
            -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizers.ignore)
    endif()
endif()
if(CDCSCOPE_FUZZ)  # coverage for libFuzzer in every library, its main only in the targets
    target_compile_options(cdc_options INTERFACE -fsanitize=fuzzer-no-link)
    target_link_options(cdc_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# A library of all *.cpp of the current folder: cdc_library(NAME [public dependency...]).
# NAME is cdc_<room>; a room that another may use is listed as its dependency, any other arrow does not link.
function(cdc_library name)
    file(GLOB sources CONFIGURE_DEPENDS *.cpp)
    if(NOT sources)
        add_library(${name} INTERFACE)
        target_link_libraries(${name} INTERFACE cdc_options ${ARGN})
        return()
    endif()
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC cdc_options ${ARGN})
endfunction()

# One test program of all *_test.cpp of the current folder: cdc_test(NAME dependency...).
# It knows the project's captures and the golden files by CDCSCOPE_SOURCE_DIR.
function(cdc_test name)
    file(GLOB sources CONFIGURE_DEPENDS *_test.cpp)
    if(NOT sources)
        return()
    endif()
    add_executable(${name} ${sources})
    target_link_libraries(${name} PRIVATE ${ARGN} GTest::gmock_main)
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        target_compile_options(${name} PRIVATE -O1)  # what is tested is optimised; the tests themselves build faster so
    endif()
    target_compile_definitions(${name} PRIVATE
        CDCSCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CDCSCOPE_BINARY_DIR="${PROJECT_BINARY_DIR}")
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
        PROPERTIES TIMEOUT 600 ENVIRONMENT "TZ=UTC;LC_ALL=C.UTF-8")
endfunction()

# A libFuzzer target NAME_fuzz from NAME_fuzz.cpp: cdc_fuzz(NAME dependency...).
function(cdc_fuzz name)
    if(NOT CDCSCOPE_FUZZ)
        return()
    endif()
    add_executable(${name}_fuzz ${name}_fuzz.cpp)
    target_link_libraries(${name}_fuzz PRIVATE ${ARGN})
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name}_fuzz PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
endfunction()

# A Python unittest script against the built program, which it finds in the environment variable CDCSCOPE:
# cdc_script_test(ROOM SCRIPT).
function(cdc_script_test room script)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME ${room}.${name} COMMAND Python3::Interpreter ${script})
    set_tests_properties(${room}.${name} PROPERTIES TIMEOUT 900
        ENVIRONMENT "CDCSCOPE=$<TARGET_FILE:cdcscope>;TZ=UTC;LC_ALL=C.UTF-8;PYTHONDONTWRITEBYTECODE=1")
endfunction()
