#include "analyzer/capture/decompressor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/analyzer/capture/build.h"

namespace cdcscope::capture::testing {
namespace {

using ::testing::HasSubstr;

std::string gzip(const std::string& plain) {
    z_stream z{};
    EXPECT_EQ(::deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(::deflateBound(&z, plain.size()) + 64, '\0');
    std::string in = plain;
    z.next_in = reinterpret_cast<Bytef*>(in.data());
    z.avail_in = static_cast<uInt>(in.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(::deflate(&z, Z_FINISH), Z_STREAM_END);
    out.resize(z.total_out);
    ::deflateEnd(&z);
    return out;
}

std::string pack_zstd(const std::string& plain, bool checksum) {
    std::string out(::ZSTD_compressBound(plain.size()), '\0');
    ZSTD_CCtx* context = ::ZSTD_createCCtx();
    ::ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0);
    out.resize(::ZSTD_compress2(context, out.data(), out.size(), plain.data(), plain.size()));
    ::ZSTD_freeCCtx(context);
    return out;
}

std::string zstd(const std::string& plain) {
    return pack_zstd(plain, true);
}

struct drained {
    std::string bytes;
    read_state last = read_state::data;
    std::string problem;
    int pauses = 0;
};

drained drain(byte_source& source, std::size_t step) {
    drained d;
    std::string buffer(step, '\0');
    while (true) {
        const read_result r =
            source.read({reinterpret_cast<std::uint8_t*>(buffer.data()), buffer.size()});
        d.bytes.append(buffer, 0, r.size);
        d.last = r.state;
        if (r.state == read_state::more) {
            ++d.pauses;
            continue;
        }
        if (r.state != read_state::data) break;
    }
    d.problem = source.problem();
    return d;
}

using maker = std::unique_ptr<byte_source> (*)(std::unique_ptr<byte_source>);

struct packing {
    std::string (*pack)(const std::string&);
    maker unpack;
    bool (*is)(byte_view) noexcept;
    const char* name;
    friend void PrintTo(const packing& p, std::ostream* out) { *out << p.name; }
};

class Decompressor : public ::testing::TestWithParam<packing> {
  protected:
    static drained unpack(std::vector<std::string> pieces, std::size_t step = 4096) {
        const auto source = GetParam().unpack(std::make_unique<scripted_source>(std::move(pieces)));
        return drain(*source, step);
    }
    static std::string pack(const std::string& plain) { return GetParam().pack(plain); }
    static std::string varied(std::size_t size) {
        std::string out;
        for (std::uint32_t x = 1; out.size() < size; x = x * 1664525 + 1013904223)
            out += static_cast<char>(x >> 24);
        return out;
    }
};

TEST_P(Decompressor, UnpacksWhateverTheStepsOfBothSides) {
    const std::string plain = varied(300'000) + std::string(3'000'000, 'x');
    const std::string packed = pack(plain);
    EXPECT_TRUE(GetParam().is(as_bytes(packed)));
    for (const std::size_t step : {std::size_t{1000}, std::size_t{4096}, std::size_t{1} << 20}) {
        const drained d = unpack({packed}, step);
        EXPECT_EQ(d.bytes.size(), plain.size());
        EXPECT_TRUE(d.bytes == plain);
        EXPECT_EQ(d.last, read_state::end);
    }
}

TEST_P(Decompressor, GoesFromMemberToMember) {
    const std::string packed =
        pack("one, ") + pack("") + pack("two, ") + pack(std::string(70'000, 'z'));
    std::vector<std::string> bytes;
    for (const char b : packed) bytes.emplace_back(1, b);
    for (const auto& pieces : {std::vector<std::string>{packed}, bytes}) {
        const drained d = unpack(pieces);
        EXPECT_EQ(d.bytes, "one, two, " + std::string(70'000, 'z'));
        EXPECT_EQ(d.last, read_state::end);
    }
}

TEST_P(Decompressor, TellsACutAtEveryByteButBetweenMembers) {
    const std::string first = pack(varied(500));
    const std::string packed = first + pack(varied(300));
    for (std::size_t cut = 1; cut <= packed.size(); ++cut) {
        const drained d = unpack({packed.substr(0, cut)});
        const bool whole = cut == first.size() || cut == packed.size();
        EXPECT_EQ(d.last, whole ? read_state::end : read_state::cut) << cut;
    }
}

TEST_P(Decompressor, PausesWhenItsSourceDoes) {
    const std::string packed = pack(varied(5000));
    const drained d =
        unpack({packed.substr(0, 10), "", packed.substr(10, 2000), "", packed.substr(2010)});
    EXPECT_EQ(d.bytes, varied(5000));
    EXPECT_EQ(d.pauses, 2);
    EXPECT_EQ(d.last, read_state::end);
}

TEST_P(Decompressor, KeepsWhatCameBeforeADefect) {
    std::string packed = pack(varied(400'000));
    packed.replace(packed.size() / 2, 2000, std::string(2000, '\xff'));
    const drained d = unpack({packed + pack("more")});
    EXPECT_EQ(d.last, read_state::error);
    EXPECT_THAT(d.problem, HasSubstr("broken"));
    EXPECT_TRUE(varied(400'000).starts_with(d.bytes.substr(0, 50'000)));
}

TEST_P(Decompressor, ReportsBytesBehindTheLastMember) {
    const drained d = unpack({pack("good") + "trailing text"});
    EXPECT_EQ(d.bytes, "good");
    EXPECT_EQ(d.last, read_state::error);
    EXPECT_NE(d.problem, "");
}

INSTANTIATE_TEST_SUITE_P(, Decompressor,
                         ::testing::Values(packing{gzip, make_gzip_source, is_gzip, "gzip"},
                                           packing{zstd, make_zstd_source, is_zstd, "zstd"}),
                         [](const ::testing::TestParamInfo<packing>& of) { return of.param.name; });

TEST(GzipSource, TakesZerosBehindTheLastMemberAsPadding) {
    const auto source = make_gzip_source(std::make_unique<scripted_source>(
        std::vector<std::string>{gzip("x") + std::string(700, '\0')}));
    const drained d = drain(*source, 100);
    EXPECT_EQ(d.bytes, "x");
    EXPECT_EQ(d.last, read_state::end);
}

// The decoder sees the end of such a frame a call later than its last byte.
TEST(ZstdSource, EndsAFrameOfRawBlocksWithoutAChecksum) {
    std::string plain;
    for (std::uint32_t x = 1; plain.size() < 400'000; x = x * 1664525 + 1013904223)
        plain += static_cast<char>(x >> 24);
    for (const std::size_t step : {std::size_t{4096}, std::size_t{400'000}, std::size_t{1} << 20}) {
        const auto source = make_zstd_source(
            std::make_unique<scripted_source>(std::vector<std::string>{pack_zstd(plain, false)}));
        const drained d = drain(*source, step);
        EXPECT_TRUE(d.bytes == plain);
        EXPECT_EQ(d.last, read_state::end);
    }
}

TEST(ZstdSource, StartsWithASkippableFrameToo) {
    const std::string packed = hex("502a4d18 04000000 01020304") + zstd("x");
    EXPECT_TRUE(is_zstd(as_bytes(packed)));
    const auto source =
        make_zstd_source(std::make_unique<scripted_source>(std::vector<std::string>{packed}));
    EXPECT_EQ(drain(*source, 100).bytes, "x");
}

}  // namespace
}  // namespace cdcscope::capture::testing
