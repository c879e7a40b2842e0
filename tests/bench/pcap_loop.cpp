// The least that reading a capture costs: libpcap's own loop, touching each packet's length. Prints
// packets and bytes.
#include <pcap/pcap.h>

#include <cstdint>
#include <cstdio>

namespace {

struct totals {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
};

void count(u_char* user, const pcap_pkthdr* header, const u_char* /*bytes*/) {
    auto* sum = reinterpret_cast<totals*>(user);
    ++sum->packets;
    sum->bytes += header->caplen;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    char error[PCAP_ERRBUF_SIZE];
    pcap_t* capture = pcap_open_offline(argv[1], error);
    if (capture == nullptr) {
        std::fprintf(stderr, "pcap_loop: %s\n", error);
        return 1;
    }
    totals sum;
    const int status = pcap_loop(capture, -1, count, reinterpret_cast<u_char*>(&sum));
    pcap_close(capture);
    std::printf("%llu packets, %llu bytes\n", static_cast<unsigned long long>(sum.packets),
                static_cast<unsigned long long>(sum.bytes));
    return status == 0 ? 0 : 1;
}
