// A file that a command writes: as NAME.part first, under its name only when it is whole or was
// ended on purpose. Devices, pipes and standard output ("-") are written in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/sink/record_sink.h"
#include "proto/wire/bytes.h"

namespace cdcscope::sink {

class output_file {
  public:
    // offer_append: refuse, and say that --append would continue it.
    enum class existing { refuse, offer_append, replace, append_in_place };

    output_file();
    ~output_file();  // not committed: NAME.part stays as it is, unless it is empty
    output_file(output_file&&) noexcept;
    output_file& operator=(output_file&&) noexcept;

    // Opens and locks. `append_in_place` opens the file itself for reading and writing, at its end.
    // `option` is where another name can be given, for the advice.
    status open(const std::string& path, existing what, std::string_view option = "-o");

    // Buffers about 1 MiB. After the first failure all later writes fail with the same text.
    status write(byte_view bytes);
    status flush();

    // Bytes written so far, those in the buffer included (in place: counted from the start of the
    // file).
    [[nodiscard]] std::uint64_t position() const noexcept;

    // Cuts the file, only when appending.
    status truncate(std::uint64_t size);

    // From now on the file is open only while something goes to it, and the buffer is small: so
    // many files can be written at the same time. Another process that takes the file meanwhile is
    // found out at the next write.
    void stay_closed();

    // Flushed, synced and under its name.
    status commit();
    // The same for many files at once: flush() each, sync_folder(), publish() each, sync_folder().
    status publish();
    // Never gets its name; nothing of it stays.
    void discard();
    // Nothing stays either when the file is not committed, and a failure says so.
    void keep_nothing();

    [[nodiscard]] bool is_device() const noexcept;  // device, pipe or standard output
    [[nodiscard]] bool is_standard_output() const noexcept;
    // The reader of a pipe or standard output went away: no failure, but there is nothing more to
    // do.
    [[nodiscard]] bool reader_gone() const noexcept;
    [[nodiscard]] int descriptor() const noexcept;  // -1 if not open
    [[nodiscard]] const std::string& path() const noexcept;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

// What was written to files of the folder of `path`, and their names, survive a crash.
status sync_folder(const std::string& path);

}  // namespace cdcscope::sink
