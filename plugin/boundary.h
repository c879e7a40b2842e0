// Where epan calls us: no C++ exception may pass into its C frames, and none of its longjmps may
// pass a destructor. Functions that call epan keep only trivially destructible locals.

#pragma once

#include <utility>

#include "plugin/ws_compat.h"

namespace cdcscope::ws {

// Runs `body` on behalf of a dissector or tap. A C++ exception (no memory) goes on as epan's own,
// after the handler was left.
template <typename Body>
auto dissector_boundary(Body&& body) -> decltype(body()) {
    try {
        return std::forward<Body>(body)();
    } catch (...) {  // only std::bad_alloc is possible
    }
    THROW(OutOfMemoryError);
}

// Runs `body` where epan catches nothing (registration, init and cleanup routines, preferences):
// false instead of an exception.
template <typename Body>
[[nodiscard]] bool quiet_boundary(Body&& body) noexcept {
    try {
        std::forward<Body>(body)();
        return true;
    } catch (...) {  // only std::bad_alloc is possible
        return false;
    }
}

}  // namespace cdcscope::ws
