// Feeds messages to a dcp_recorder without a state machine: what it would say is given by the test.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "analyzer/record/dcp_recorder.h"
#include "tests/proto/dcp/listing.h"

namespace cdcscope::test {

class fixed_names : public dcp::connection_names {
  public:
    std::string bucket_name, opened_name;
    std::map<std::uint32_t, std::pair<std::string, std::string>> collections;
    std::map<std::uint32_t, std::string> scopes;

    [[nodiscard]] std::string_view bucket() const noexcept override { return bucket_name; }
    [[nodiscard]] std::string_view connection_name() const noexcept override { return opened_name; }
    [[nodiscard]] collection_name collection(std::uint32_t id) const noexcept override {
        const auto at = collections.find(id);
        return at == collections.end() ? collection_name{}
                                       : collection_name{at->second.first, at->second.second};
    }
    [[nodiscard]] std::string_view scope(std::uint32_t id) const noexcept override {
        const auto at = scopes.find(id);
        return at == scopes.end() ? std::string_view{} : std::string_view{at->second};
    }
};

inline recover::message message_of(byte_view bytes) {
    recover::message m;
    m.connection = 1;
    m.dir = direction::s2c;
    m.carries = recover::protocol::dcp;
    m.bytes = bytes;
    m.captured = m.wire_length = bytes.size();
    m.frames = {18, 18, {1700000001001000000, 18, 0}};
    return m;
}

class dcp_record : public testing::Test {
  protected:
    // The record's JSON as a tree; the stream key is kept in `key`.
    nlohmann::json json_of(byte_view bytes) { return json_of(message_of(bytes)); }
    nlohmann::json json_of(const recover::message& m) {
        record::dcp_recorder recorder(options);
        const std::optional<record::entry> made = recorder.record(m, track, names);
        if (!made) return nullptr;
        key = made->key;
        EXPECT_TRUE(made->is_json);
        EXPECT_EQ(as_text(made->payload).find('\n'), std::string_view::npos);
        return nlohmann::json::parse(as_text(made->payload));
    }

    record::options options;
    dcp::track_record track;
    fixed_names names;
    std::string key;
};

}  // namespace cdcscope::test
