// The parts of the JSON report, a function each; json.cpp puts them together.
#pragma once

#include <string_view>

#include "analyzer/report/model.h"
#include "proto/json/json_writer.h"

namespace cdcscope::report {

// A string member. Text that is no UTF-8 gets its odd bytes as \xNN; no-break spaces become blanks.
void put_text(json_writer& w, std::string_view key, std::string_view text);
void put_text(json_writer& w, std::string_view text);
void put_time(json_writer& w, std::string_view key, std::int64_t ns);
// A number of milliseconds, to the microsecond.
void put_ms(json_writer& w, std::string_view key, std::int64_t ns);
// {"file": ..., "frame": ..., "time": ...}; nothing if it is not known (frame 0).
void put_frame(json_writer& w, const model& m, std::string_view key, const frame_ref& at);
void put_bytes(json_writer& w, const byte_account& b);

void put_capture(json_writer& w, const model& m);
void put_findings(json_writer& w, const model& m);
void put_cards(json_writer& w, const model& m);
void put_connections(json_writer& w, const model& m);
void put_streams(json_writer& w, const model& m);
void put_writes(json_writer& w, const model& m);
void put_operations(json_writer& w, const model& m);
void put_batches(json_writer& w, const model& m);
void put_transactions(json_writer& w, const model& m);
void put_positions(json_writer& w, const model& m);

}  // namespace cdcscope::report
