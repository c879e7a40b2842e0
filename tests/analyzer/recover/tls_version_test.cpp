// Which version of TLS a connection speaks: the server's choice, else what the client offers (RFC
// 8446, 4.1.2, 4.1.3 and 4.2.1).
#include <gtest/gtest.h>

#include "analyzer/recover/foreign.h"
#include "analyzer/recover/tls_hello.h"
#include "tests/analyzer/recover/talk.h"

namespace cdcscope::recover::testing {
namespace {

constexpr auto c2s = direction::c2s;
constexpr auto s2c = direction::s2c;

std::string with_length(std::string_view bytes, int size) {
    std::string out;
    put_be(out, bytes.size(), size);
    return out.append(bytes);
}
std::string version(std::uint16_t v) {
    std::string out;
    put_be(out, v, 2);
    return out;
}
std::string extension(std::uint16_t kind, std::string_view content) {
    return version(kind) + with_length(content, 2);
}
std::string record(std::uint8_t type, std::string_view body) {
    std::string message(1, static_cast<char>(type));
    message += with_length(body, 3);
    return std::string("\x16\x03\x01", 3) + with_length(message, 2);
}
std::string client_hello(std::uint16_t old, const std::vector<std::uint16_t>& offers) {
    std::string body = version(old) + std::string(32, 'r') + with_length(std::string(32, 's'), 1) +
                       with_length(std::string("\x13\x01\x13\x02", 4), 2) +
                       with_length(std::string(1, '\0'), 1);
    std::string extensions = extension(10, "\x00\x02\x00\x1d");
    if (!offers.empty()) {
        std::string list;
        for (const auto v : offers) list += version(v);
        extensions += extension(43, with_length(list, 1));
    }
    return record(1, body + with_length(extensions, 2));
}
std::string server_hello(std::uint16_t old, std::uint16_t chosen = 0) {
    std::string body = version(old) + std::string(32, 'R') + with_length(std::string(32, 's'), 1) +
                       std::string("\x13\x01\x00", 3);
    std::string extensions = extension(51, "key");
    if (chosen != 0) extensions += extension(43, version(chosen));
    return record(2, body + with_length(extensions, 2));
}

std::string told(const std::vector<std::pair<direction, std::string>>& said,
                 std::uint16_t port = 11207) {
    talk t;
    t.server.port = port;
    t.handshake();
    for (const auto& [dir, bytes] : said) t.say(dir, bytes);
    const auto& info = t.finish().info;
    EXPECT_EQ(info.carries, protocol::tls);
    return info.foreign == nullptr ? "nothing" : foreign_words(*info.foreign);
}

TEST(TlsVersion, IsWhatTheServerChose) {
    const std::string all = client_hello(0x0303, {0x0304, 0x0303});
    EXPECT_EQ(told({{c2s, all}, {s2c, server_hello(0x0303, 0x0304)}}), "TLS 1.3");
    EXPECT_EQ(told({{c2s, all}, {s2c, server_hello(0x0303)}}), "TLS 1.2");
    EXPECT_EQ(told({{c2s, client_hello(0x0302, {})}, {s2c, server_hello(0x0302)}}), "TLS 1.1");
    EXPECT_EQ(told({{c2s, client_hello(0x0300, {})}, {s2c, server_hello(0x0300)}}), "SSL 3.0");
}

TEST(TlsVersion, OfALoneClientIsTheHighestItOffersPlaceholdersLeftOut) {
    EXPECT_EQ(told({{c2s, client_hello(0x0303, {0x7a7a, 0x0304, 0x0303, 0x0302})}}),
              "TLS, 1.3 offered");
    EXPECT_EQ(told({{c2s, client_hello(0x0303, {})}}), "TLS, 1.2 offered");
}

TEST(TlsVersion, ComesInPiecesAndOnAnyPort) {
    const std::string hello = client_hello(0x0303, {0x0304}), answer = server_hello(0x0303, 0x0304);
    std::vector<std::pair<direction, std::string>> said;
    for (const char c : hello) said.emplace_back(c2s, std::string(1, c));
    for (const char c : answer) said.emplace_back(s2c, std::string(1, c));
    EXPECT_EQ(told(said), "TLS 1.3");
    EXPECT_EQ(told({{c2s, hello}, {s2c, answer}}, 5000), "TLS 1.3");
}

TEST(TlsVersion, IsNotKnownInTheMiddleOfAConnection) {
    const std::string data = std::string("\x17\x03\x03\x00\x40", 5) + std::string(64, 'x');
    EXPECT_EQ(told({{c2s, data}, {s2c, data}}), "TLS");
}

TEST(TlsVersion, OfSeveralConnectionsIsListedOnce) {
    const std::string_view name = "TLS";
    EXPECT_EQ(tls_words({{name, "1.3", false}, {name, "1.2", false}, {name, "1.3", false}}),
              "TLS 1.2 and 1.3");
    EXPECT_EQ(tls_words({{name, "1.2", false}, {name, "1.3", true}, {name, "", false}}),
              "TLS 1.2, 1.3 offered, of 1 the version is not known");
    EXPECT_EQ(tls_words({{name, "", false}}), "TLS");
}

TEST(TlsVersion, OfWhatIsCutOffAnywhereIsReadWithoutHarm) {
    for (const std::string& whole :
         {client_hello(0x0303, {0x0304, 0x0303}), server_hello(0x0303, 0x0304)}) {
        for (std::size_t n = 0; n < whole.size(); ++n) {
            EXPECT_NE(read_tls_hello(as_bytes(whole).first(n)).is, tls_hello::state::found) << n;
        }
        EXPECT_EQ(read_tls_hello(as_bytes(whole)).is, tls_hello::state::found);
        // Lengths that lie.
        for (std::size_t i = 5; i < whole.size(); ++i) {
            std::string broken = whole;
            broken[i] = static_cast<char>(broken[i] ^ 0xff);
            (void)read_tls_hello(as_bytes(broken));
        }
    }
}

}  // namespace
}  // namespace cdcscope::recover::testing
