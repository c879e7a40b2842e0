// Small helpers around Wireshark's statistics trees and taps.
#pragma once

#include "plugin/boundary.h"
#include "plugin/ws_compat.h"

namespace cdcscope::ws {

// Where a statistics tree counts.
class stats {
  public:
    explicit stats(stats_tree* tree) : tree_(tree) {}

    int node(const char* name, int parent = 0) const {
        return stats_tree_create_node(tree_, name, parent, STAT_DT_INT, true);
    }
    // Averages, minimum and maximum of real numbers.
    int reals(const char* name, int parent = 0) const {
        return stats_tree_create_node(tree_, name, parent, STAT_DT_FLOAT, true);
    }
    int count(const char* name, int parent, bool with_children = false) const {
        return tick_stat_node(tree_, name, parent, with_children);
    }
    void add(const char* name, int parent, int value) const {
        increase_stat_node(tree_, name, parent, false, value);
    }
    void average(const char* name, int parent, int value) const {
        avg_stat_node_add_value_int(tree_, name, parent, false, value);
    }
    void average(const char* name, int parent, float value) const {
        avg_stat_node_add_value_float(tree_, name, parent, false, value);
    }
    void range(const char* name, int parent, int value) const {
        stats_tree_tick_range(tree_, name, parent, value);
    }
    [[nodiscard]] stats_tree* tree() const { return tree_; }

  private:
    stats_tree* tree_;
};

// Registers "Statistics, <menu>" as `-z abbreviation,tree`. Data of the tap is a `Data`.
template <typename Data, void (*Init)(const stats&),
          void (*Packet)(const stats&, packet_info*, const Data&)>
void register_stats(const char* tap, const char* abbreviation, const char* menu) {
    (void)stats_tree_register_plugin(
        tap, abbreviation, menu, 0,
        [](stats_tree* tree, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
            const bool good = quiet_boundary(
                [&] { Packet(stats(tree), pinfo, *static_cast<const Data*>(data)); });
            return good ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
        },
        [](stats_tree* tree) { (void)quiet_boundary([&] { Init(stats(tree)); }); }, nullptr);
}

}  // namespace cdcscope::ws
