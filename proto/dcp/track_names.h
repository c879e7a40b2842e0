// Names of collections and scopes learned on a connection, and whether its keys have collection
// prefixes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "proto/dcp/track_message.h"

namespace cdcscope::dcp {

class learned_names {
  public:
    // A system event that is whole.
    void learn_event(const message_view& m);
    // The answer to COLLECTIONS_GET_MANIFEST.
    void learn_manifest(byte_view json);

    [[nodiscard]] connection_names::collection_name collection(std::uint32_t id) const noexcept;
    [[nodiscard]] std::string_view scope(std::uint32_t id) const noexcept;
    [[nodiscard]] bool knows_collection(std::uint32_t id) const noexcept {
        return collections_.contains(id);
    }

  private:
    struct named_collection {
        std::uint32_t scope = 0;
        std::string name;
    };
    std::unordered_map<std::uint32_t, named_collection> collections_;
    std::unordered_map<std::uint32_t, std::string> scopes_;
};

// Judges by evidence where the capture does not show HELLO.
class prefix_judge {
  public:
    // A message that only collections bring, or a key that must or cannot have a prefix.
    void see(const message_view& m, const learned_names& names) noexcept;
    [[nodiscard]] bool on() const noexcept { return proof_ || (fitting_ > 0 && !misfit_); }

  private:
    bool proof_ = false;  // a system event, a stream filter
    bool misfit_ = false;
    std::uint32_t fitting_ = 0;
};

}  // namespace cdcscope::dcp
