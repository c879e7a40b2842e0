#!/usr/bin/env python3
"""The HTML report in a browser: it loads alone, shows its charts, and what can be pressed does what it says."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
import browser  # noqa: E402
import dcp_traffic  # noqa: E402

CASES = ROOT / "tests/data/reports"
MARKUP = b"<img src=x onerror=\"window.hit=1\"><script>window.hit=1</script>"
SIZES = ((1280, 900), (390, 844), (320, 700))

# Labels of one chart that lie over each other, and those that leave the page.
CLASHES = """(() => {
  const out = [], seen = box => box.width > 1 && box.height > 1;
  for (const chart of document.querySelectorAll('.plot, .lanes')) {
    const labels = [...chart.querySelectorAll('.t, .tx, .axl')]
      .map(e => [e.textContent, e.getBoundingClientRect(), getComputedStyle(e)])
      .filter(([, box, style]) => seen(box) && style.visibility !== 'hidden');
    labels.forEach(([a, x], i) => {
      if (x.left < -1 || x.right > document.documentElement.clientWidth + 1) out.push(a + ' leaves the page');
      for (const [b, y] of labels.slice(i + 1))
        if (x.left < y.right - 1 && y.left < x.right - 1 && x.top < y.bottom - 2 && y.top < x.bottom - 2) out.push(a + ' over ' + b);
    });
  }
  return out;
})()"""


def report(out, *captures, folder=None):
    done = subprocess.run([os.environ["CDCSCOPE"], "report", *map(str, captures), "-o", str(out), "--quiet", "--no-progress", "--force"],
                          capture_output=True, timeout=120, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    return out


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        at = pathlib.Path(folder.name)
        dcp_traffic.hostile(at / "hostile.pcap", MARKUP)
        evil = at / "<img src=x onerror=window.hit=1>.pcap"
        evil.write_bytes((at / "hostile.pcap").read_bytes())
        dcp_traffic.many_connections(at / "many.pcap", 1000)
        dcp_traffic.large(at / "large.pcap", 100, 3000)
        cls.pages = {
            "stall": report(at / "stall.html", CASES / "dcp-flow-control-stall.pcap"),
            "durable": report(at / "durable.html", CASES / "dcp-durable-writes-stuck.pcap"),
            "canal": report(at / "canal.html", CASES / "canal-growing-lag.pcap"),
            "ledger": report(at / "ledger.html", CASES / "canal-ack-out-of-order.pcap"),
            "refused": report(at / "refused.html", ROOT / "captures/dcp/basic_ipv4.pcap"),
            "hole": report(at / "hole.html", CASES / "tcp-lost-segment-resync.pcap"),
            "clean": report(at / "clean.html", CASES / "tcp-sequence-wrap.pcap"),
            "nothing": report(at / "nothing.html", CASES / "canal-port-other-protocols.pcap"),
            "hostile": report(at / "hostile.html", evil),
            "many": report(at / "many.html", at / "many.pcap"),
            "travel": report(at / "travel.html", "travel-1.pcap", "travel-2.pcap", folder=ROOT / "captures/travel"),
            "large": report(at / "large.html", at / "large.pcap"),
        }
        cls.chromium = cls.enterClassContext(browser.Browser()) if hasattr(cls, "enterClassContext") else browser.Browser()
        if not hasattr(cls, "enterClassContext"):
            cls.addClassCleanup(cls.chromium.__exit__)

    def open(self, name, **options):
        return self.chromium.open(self.pages[name], **options)

    def test_loads_alone_and_fits_at_every_width_in_light_and_dark(self):
        for name in self.pages:
            for width, height in SIZES:
                for dark in (False, True):
                    if dark and (width == 320 or name in ("many", "large")):
                        continue
                    with self.subTest(page=name, width=width, dark=dark):
                        page = self.open(name, width=width, height=height, dark=dark)
                        self.assertEqual([], page.complaints())
                        self.assertEqual([], page.requests())
                        self.assertEqual(page.js("document.documentElement.clientWidth"), page.js("document.documentElement.scrollWidth"))
                        self.assertLess(page.js("document.querySelector('h1').getBoundingClientRect().bottom"), height)
                        self.assertEqual([], page.js(CLASHES))

    def test_shows_the_verdict_first(self):
        for name in ("stall", "canal", "ledger", "refused", "travel"):
            for width, height in SIZES[:2]:
                with self.subTest(page=name, width=width):
                    page = self.open(name, width=width, height=height)
                    self.assertLess(page.js("document.querySelector('#verdict .v').getBoundingClientRect().top"), height)

    def test_runs_nothing_that_a_capture_says(self):
        page = self.open("hostile")
        page.js("for (const fold of document.querySelectorAll('details')) fold.open = true")
        self.assertIsNone(page.js("window.hit ?? null"))
        self.assertEqual(0, page.js("document.images.length"))
        self.assertEqual(1, page.js("document.scripts.length"))
        self.assertIn(MARKUP.decode(), page.js("document.body.innerText"))
        self.assertIn("onerror=window.hit=1>.pcap", page.js("document.title + document.body.innerText"))
        self.assertEqual([], page.complaints())

    def test_draws_its_charts(self):
        wanted = {"stall": "Receive window", "durable": "Durable writes", "canal": "Lag", "ledger": "Batch ledger"}
        for name, caption in wanted.items():
            with self.subTest(name):
                page = self.open(name)
                drawn = page.js("""[...document.querySelectorAll('figure')].filter(f => f.querySelector('.plot, .lanes')).map(f => [
                    f.querySelector('figcaption b').textContent,
                    [...f.querySelectorAll('.plot path, .plot polyline, .plot rect, .lanes .bar')]
                        .filter(e => { const b = e.getBoundingClientRect(); return b.width > 1 || b.height > 1; }).length])""")
                self.assertIn(caption, " ".join(c for c, _ in drawn))
                self.assertTrue(all(n > 0 for _, n in drawn), drawn)

    def test_zooms_by_dygraphs(self):
        page = self.open("large")
        self.assertEqual(True, page.js("document.querySelectorAll('.zoom:not([hidden])').length > 0"))
        page.js("document.querySelector('.zoom').click()")
        inked = page.js("""(() => { const c = document.querySelector('.zoomed canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })()""")
        self.assertGreater(inked, 500)
        self.assertEqual([], page.complaints())
        self.assertEqual([], page.requests())

    def test_says_nothing_of_zoom_where_the_drawing_shows_it_all(self):
        page = self.open("stall")
        self.assertEqual(0, page.js("document.querySelectorAll('.zoom').length"))
        self.assertEqual("undefined", page.js("typeof Dygraph"))

    def test_sorts(self):
        page = self.open("refused")
        column = page.js("[...document.querySelectorAll('#stab thead th')].findIndex(h => h.textContent === 'Last seqno')")
        values = f"[...document.querySelectorAll('#stab tbody tr')].map(r => Number(r.cells[{column}].dataset.v))"
        button = f"document.querySelectorAll('#stab thead th button')[{column}]"
        page.js(button + ".click()")
        self.assertEqual(page.js(values), sorted(page.js(values)))
        self.assertEqual("ascending", page.js(button + ".parentElement.getAttribute('aria-sort')"))
        page.js(button + ".click()")
        self.assertEqual(page.js(values), sorted(page.js(values), reverse=True))
        self.assertEqual("Sorted by Last seqno, descending", page.js("document.getElementById('live').textContent"))

    def test_filters(self):
        page = self.open("refused")
        page.js("""(() => { const f = document.querySelector('.filter[data-for=stab] [type=search]'); f.value = 'refused 1023';
            f.dispatchEvent(new Event('input', {bubbles: true})); })()""")
        self.assertEqual(1, page.js("[...document.querySelectorAll('#stab tbody tr')].filter(r => !r.hidden).length"))
        page.js("""(() => { const f = document.querySelector('.filter[data-for=stab] [type=search]'); f.value = 'no such word';
            f.dispatchEvent(new Event('input', {bubbles: true})); })()""")
        self.assertEqual("No stream matches the filter.", page.js("[...document.querySelectorAll('#stab-none')].filter(e => !e.hidden)[0].textContent"))
        page.js("document.querySelector('.filter[data-for=flist] [value=n]').click()")
        shown = page.js("[...document.querySelectorAll('#flist .find')].filter(e => !e.hidden).map(e => e.dataset.sev)")
        self.assertTrue(shown and "n" not in shown, shown)

    def test_links_lead_somewhere(self):
        for name in self.pages:
            with self.subTest(name):
                page = self.open(name)
                self.assertEqual([], page.js("[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')).filter(h => !h.startsWith('#') || !document.getElementById(h.slice(1)))"))

    def test_a_link_to_a_finding_opens_it(self):
        page = self.open("refused", fragment="#f4")
        self.assertTrue(page.js("document.getElementById('f4').open"))
        page.js("location.hash = '#f5'")
        # Scrolling there may take its time.
        there = "(() => { const f = document.getElementById('f5'), top = f.getBoundingClientRect().top; return f.open && top > -10 && top < 900; })()"
        self.assertTrue(page.js(f"new Promise(r => {{ let n = 0; const look = () => {there} || ++n > 100 ? r({there}) : setTimeout(look, 50); look(); }})"))

    def test_each_finding_has_evidence_and_filters_to_copy(self):
        page = self.open("stall")
        page.js("document.querySelector('#f1 .df button').click()")
        page.js("new Promise(r => setTimeout(r, 200))")
        self.assertEqual("Copied", page.js("document.querySelector('#f1 .df button').textContent"))
        filters = page.js("[...document.querySelectorAll('#f1 .df code')].map(c => c.textContent)")
        self.assertTrue(any(f.startswith("frame.number in {") for f in filters), filters)
        self.assertTrue(any("tcp.port" in f for f in filters), filters)
        self.assertTrue(any("cbdcp.flow.stalled" in f for f in filters), filters)
        self.assertGreater(page.js("document.querySelectorAll('#f1 .ev li').length"), 2)

    def test_switches_the_theme(self):
        page = self.open("stall")
        light = page.js("getComputedStyle(document.body).backgroundColor")
        page.js("document.querySelector('[name=theme][value=dark]').click()")
        self.assertNotEqual(light, page.js("getComputedStyle(document.body).backgroundColor"))
        page.js("document.querySelector('[name=theme][value=light]').click()")
        self.assertEqual(light, page.js("getComputedStyle(document.body).backgroundColor"))
        page.js("document.querySelector('[name=theme][value=auto]').click()")

    def test_the_keyboard_reaches_every_control_and_shows_where_it_is(self):
        page = self.open("refused")
        reachable = """[...document.querySelectorAll('a[href], button, input, summary, [tabindex="0"]')].filter(e => e.checkVisibility()
            && !e.closest('[hidden]') && !(e.type === 'radio' && !e.checked))"""
        count = page.js(reachable + ".length")
        page.js("window.reached = new Set(); window.unseen = []")
        for _ in range(count + 5):
            page.press("Tab", number=9)
            page.js("""(() => { const e = document.activeElement; if (e === document.body || reached.has(e)) return; reached.add(e);
                const box = e.type === 'radio' || e.type === 'checkbox' ? e.closest('label') || e : e;
                const seen = [e, box].some(x => { const s = getComputedStyle(x); return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2; });
                if (!seen) unseen.push(e.outerHTML.slice(0, 120)); })()""")
        missed = page.js(reachable + ".filter(e => !reached.has(e)).map(e => e.outerHTML.slice(0, 120))")
        self.assertEqual([], missed)
        self.assertEqual([], page.js("unseen"))

    def test_arrow_keys_read_a_chart(self):
        page = self.open("stall")
        page.js("document.querySelector('.plot[data-s]').focus()")
        page.press("End", number=35)
        self.assertIn("4,235 B unacknowledged", page.js("document.getElementById('live').textContent"))

    def test_prints_with_everything_unfolded(self):
        for name in ("stall", "refused", "canal", "travel"):
            with self.subTest(name):
                page = self.open(name)
                pdf = page.pdf()
                self.assertTrue(pdf.startswith(b"%PDF-"))
                pages = pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type /Page/")
                self.assertTrue(1 <= pages <= 20, pages)
                page.js("dispatchEvent(new Event('beforeprint'))")
                self.assertEqual(0, page.js("document.querySelectorAll('details:not([open])').length"))
                page.call("Emulation.setEmulatedMedia", media="print")
                self.assertEqual([], page.js("[...document.querySelectorAll('button, input')].filter(e => e.checkVisibility() && !e.closest('th')).map(e => e.outerHTML)"))


if __name__ == "__main__":
    if browser.find() is None:
        print("skipped: no Chromium here (Debian: chromium)")
        sys.exit(77)
    unittest.main()
