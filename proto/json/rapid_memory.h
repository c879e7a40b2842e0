// RapidJSON takes memory from malloc and does not look whether it got any. Here it gets it as from
// operator new: without memory the new-handler is called, or std::bad_alloc thrown.
#pragma once

#include <rapidjson/reader.h>

#include <cstdlib>
#include <new>

namespace cdcscope {

class rapid_memory {
  public:
    static constexpr bool kNeedFree = true;

    static void* Malloc(std::size_t size) { return size == 0 ? nullptr : resized(nullptr, size); }
    static void* Realloc(void* old, std::size_t /*old_size*/, std::size_t size) {
        if (size != 0) return resized(old, size);
        Free(old);
        return nullptr;
    }
    static void Free(void* memory) { std::free(memory); }

  private:
    static void* resized(void* old, std::size_t size) {
        for (;;) {
            if (void* const memory = std::realloc(old, size)) return memory;
            const std::new_handler handler = std::get_new_handler();
            if (handler == nullptr) throw std::bad_alloc();
            handler();
        }
    }
};

using rapid_reader = rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, rapid_memory>;

}  // namespace cdcscope
