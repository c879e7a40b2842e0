// Writes the bytes of each direction to DIR/c0001.c2s.bin, DIR/c0001.s2c.bin: holes left out,
// nothing put in their place.
#pragma once

#include <cstdio>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "proto/wire/bytes.h"
#include "proto/wire/direction.h"

namespace cdcscope::recover {

class stream_dump {
  public:
    // `directory` exists. `replace`: files that are there may be overwritten.
    stream_dump(std::string directory, bool replace);

    // Files are made when the first bytes come; `bytes` may be empty, then the file is made all the
    // same. Does nothing once something went wrong.
    void write(std::uint32_t connection, direction dir, byte_view bytes);
    // Everything is on its way to the disk. Text of the first thing that went wrong, "FILE: WHAT;
    // WHAT TO DO", or empty.
    [[nodiscard]] const std::string& finish();
    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    [[nodiscard]] std::uint64_t files() const noexcept { return made_.size(); }

    [[nodiscard]] static std::string file_name(std::uint32_t connection, direction dir);

  private:
    struct closer {
        void operator()(std::FILE* f) const noexcept { (void)std::fclose(f); }
    };
    struct open_file {
        std::uint64_t key;
        std::unique_ptr<std::FILE, closer> file;
    };
    // Far below what a process may have open.
    static constexpr std::size_t most_open = 128;

    [[nodiscard]] std::FILE* open(std::uint32_t connection, direction dir);
    void close_oldest();
    void fail(const std::string& path, std::string_view what);

    std::string directory_;
    bool replace_;
    std::string error_;
    std::list<open_file> open_;  // the one used longest ago first
    std::unordered_map<std::uint64_t, std::list<open_file>::iterator>
        made_;  // end(): closed for now
};

}  // namespace cdcscope::recover
