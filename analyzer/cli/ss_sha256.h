// SHA-256 of a payload that comes in pieces, for the listings of `ss dump`; libgcrypt does the
// work.
#pragma once

#include <gcrypt.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <type_traits>

#include "proto/wire/bytes.h"

namespace cdcscope::cli {

class sha256 {
  public:
    using digest = std::array<std::uint8_t, 32>;

    sha256() {
        gcry_check_version(nullptr);  // libgcrypt wants to be asked before its first use
        gcry_md_hd_t opened = nullptr;
        if (gcry_md_open(&opened, GCRY_MD_SHA256, 0) != 0)
            throw std::bad_alloc{};  // the only way it can fail
        state_.reset(opened);
    }

    void update(byte_view bytes) noexcept {
        gcry_md_write(state_.get(), bytes.data(), bytes.size());
    }

    // Of the bytes given since the last call.
    [[nodiscard]] digest finish() noexcept {
        digest out;
        std::copy_n(gcry_md_read(state_.get(), GCRY_MD_SHA256), out.size(), out.begin());
        gcry_md_reset(state_.get());
        return out;
    }

  private:
    struct closing {
        void operator()(gcry_md_hd_t handle) const noexcept { gcry_md_close(handle); }
    };
    std::unique_ptr<std::remove_pointer_t<gcry_md_hd_t>, closing> state_;
};

}  // namespace cdcscope::cli
