// Beacons as they are read (docs/ss.md section 4).
#pragma once

#include "proto/ss/format.h"
#include "proto/ss/problem.h"

namespace cdcscope::ss {

// Reads the fields that messages and markers begin with. `bytes` holds them all.
[[nodiscard]] inline label read_label(const std::uint8_t* p) noexcept {
    const std::size_t k = p[0];
    const std::uint8_t* rest = p + 1 + k;
    return {as_text({p + 1, k}), load_be64(rest), load_be64(rest + 8), load_be64(rest + 16)};
}

// Why a label can not be one, if so: the key, then the time, as the reference looks at them.
[[nodiscard]] fault check_label(const label& l) noexcept;

// A whole beacon with markers that can be read. The bytes are borrowed.
class beacon_view {
  public:
    beacon_view() = default;
    explicit beacon_view(byte_view bytes) noexcept : bytes_(bytes) {}

    [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
    [[nodiscard]] std::uint32_t remaining() const noexcept { return load_be32(bytes_.data() + 1); }
    [[nodiscard]] std::size_t markers() const noexcept { return bytes_[5]; }
    [[nodiscard]] bool first_mark_ok() const noexcept { return bytes_.front() == mark; }
    [[nodiscard]] bool last_mark_ok() const noexcept { return bytes_.back() == mark; }

    // Calls visit(marker) for each; a visit that returns false is the last one.
    template <typename Visit>
    void each_marker(Visit visit) const {
        const std::uint8_t* p = bytes_.data() + 6;
        for (std::size_t left = markers(); left > 0; --left) {
            const label l = read_label(p);
            p += l.key.size() + marker_overhead;
            if (!visit(marker{l, load_be16(p - 2)})) return;
        }
    }

  private:
    byte_view bytes_;
};

struct read_beacon_result {
    beacon_view beacon;  // whole unless `broken`
    problem broken;      // beacon_cut: `bytes` ends inside it
};

// The beacon at the start of `bytes`, which stand at that file offset. `bytes` holds
// max_beacon_size bytes, or ends with the file.
[[nodiscard]] read_beacon_result read_beacon(byte_view bytes, std::uint64_t offset,
                                             std::uint32_t interval) noexcept;

}  // namespace cdcscope::ss
