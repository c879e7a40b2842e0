// The figures of a capture: connections with their byte accounting, what the layers noticed,
// messages by type. The summary is made of them, and so are the tables that commands print.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/capture/observation.h"
#include "analyzer/recover/message.h"

namespace cdcscope::track {

struct connection_figures {
    recover::connection_info info;
    recover::direction_totals ways[2];  // by direction; final once closed
    frame_ref last;                     // when it was closed
    bool speaks_dcp = false;            // not key-value only
    std::string name;                   // DCP connection name; canal: "destination / client id"
};

// All observations of one code.
struct noticed {
    std::string_view code;  // text of the table
    findings::code what{};
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::uint32_t connection = 0;  // of the first one, as are frame and text
    frame_ref at;
    std::string text;
    std::map<std::uint32_t, std::uint64_t> by_connection;  // counts, of the first 1,000 connections
};

// By code, in order of their first appearance.
class observation_log : public capture::observation_sink {
  public:
    void on_observation(const capture::observation& o) override;
    [[nodiscard]] const std::vector<noticed>& observations() const noexcept {
        return observations_;
    }

  private:
    std::vector<noticed> observations_;
};

class figures final : public observation_log {
  public:
    void add(const recover::connection_info& c);
    [[nodiscard]] connection_figures& connection(std::uint32_t id) {
        return connections_.at(id - 1);
    }
    void count(std::string_view type, bool response);

    [[nodiscard]] const std::vector<connection_figures>& connections() const noexcept {
        return connections_;
    }
    [[nodiscard]] const std::map<std::string, std::uint64_t, std::less<>>& by_type()
        const noexcept {
        return by_type_;
    }

    [[nodiscard]] recover::direction_totals totals() const;
    [[nodiscard]] recover::direction_totals totals(std::uint32_t connection) const;

  private:
    std::vector<connection_figures> connections_;  // by number
    std::map<std::string, std::uint64_t, std::less<>> by_type_;
    std::string key_;
};

// Codes that are warnings of the summary; every other observation is a note (design: `warnings[]`,
// `notes[]`).
[[nodiscard]] bool is_warning(findings::code code);

}  // namespace cdcscope::track
