// Where records go: a .ss file, JSON lines, Redis Streams, Kafka.
#pragma once

#include <string>

#include "analyzer/record/record.h"

namespace cdcscope::sink {

using record = cdcscope::record::entry;

// Outcome of an operation: empty text is success.
struct status {
    std::string error;  // "WHERE: WHAT: DETAIL; WHAT TO DO"
    [[nodiscard]] bool ok() const noexcept { return error.empty(); }
};

class record_sink {
  public:
    record_sink() = default;
    record_sink(const record_sink&) = delete;
    record_sink& operator=(const record_sink&) = delete;
    virtual ~record_sink() = default;

    virtual status write(const record& r) = 0;
    // Done: whole (EOS where the format has one), or interrupted (what is there stays valid and
    // says that it is not the whole).
    virtual status finish(bool whole) = 0;
    // finish() in two steps, for many files: all is handed to the system, but has no name yet; then
    // the name. After sync_folder() in between the file survives a crash.
    virtual status end(bool whole) = 0;
    virtual status publish() = 0;
};

}  // namespace cdcscope::sink
