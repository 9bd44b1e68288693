package acceptance

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// browserTime is how long the browser may take for a page.
const browserTime = 2 * time.Minute

// newBrowser starts Chromium, and ends it with the test.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("Chromium is not installed, so no page is shown; install Debian's package chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WSURLReadTimeout(browserTime), chromedp.Flag("disable-dev-shm-usage", true))
	ctx, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancelAllocator)
	ctx, cancelBrowser := chromedp.NewContext(ctx)
	t.Cleanup(cancelBrowser)
	return ctx
}

// value returns what an action returns, within the time that the browser may take.
func value[T any](t *testing.T, ctx context.Context, action chromedp.Action[T]) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, browserTime)
	defer cancel()
	result, err := chromedp.Run(ctx, action)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// media are the ways in which a page is shown.
var media = []struct {
	name, media, scheme string
	light               bool
}{
	{"light", "screen", "light", true},
	{"dark", "screen", "dark", false},
	{"print", "print", "dark", true}, // paper is white, whatever the screen is
}

// emulate shows the page in a way.
func emulate(media, scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

// violation is what axe-core finds.
type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML string `json:"html"`
	} `json:"nodes"`
}

// checkPage shows a file in the browser: in each way and each width, with no other request, and without a violation of
// axe-core.
func checkPage(t *testing.T, browser context.Context, path, name string) {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(browser)
	t.Cleanup(closeTab)
	axe, err := os.ReadFile("testdata/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: path}).String()
	var mu sync.Mutex
	var requests []string
	err = chromedp.Listen(ctx, func(event any) {
		if sent, ok := event.(*network.EventRequestWillBeSent); ok {
			mu.Lock()
			requests = append(requests, sent.Request.URL)
			mu.Unlock()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	value(t, ctx, chromedp.Steps(chromedp.EmulateViewport(1000, 800), chromedp.Navigate(address)))
	shots := map[string]*picture{}
	for _, way := range media {
		value(t, ctx, emulate(way.media, way.scheme))
		p := newPicture(t, value(t, ctx, chromedp.FullScreenshot(100)))
		shots[way.name] = p
		if p.colours < 5 || p.drawn < 0.01 {
			t.Errorf("%s: the page is empty: %d colours, %.1f %% of it drawn", way.name, p.colours, 100*p.drawn)
		}
		if isLight := p.background > 0.8; isLight != way.light {
			t.Errorf("%s: the background has the brightness %.2f", way.name, p.background)
		}
		if folded := value(t, ctx, chromedp.Evaluate[int](foldedAway)); (folded == 0) != (way.media == "print" || !strings.HasPrefix(name, "report")) {
			t.Errorf("%s: %d parts of the page are folded", way.name, folded)
		}
		value(t, ctx, chromedp.Evaluate[chromedp.Void](string(axe)))
		checkAxe(t, ctx, way.name)
	}
	if bytes.Equal(shots["light"].file, shots["dark"].file) || bytes.Equal(shots["light"].file, shots["print"].file) {
		t.Error("the screenshots do not differ")
	}
	value(t, ctx, emulate("screen", "light"))
	paper := value(t, ctx, chromedp.PrintToPDF())
	if !bytes.HasPrefix(paper, []byte("%PDF-")) {
		t.Error("the page cannot be printed")
	}
	checkWidths(t, ctx, name)
	mu.Lock()
	defer mu.Unlock()
	for _, request := range requests {
		if request != address {
			t.Errorf("the page requests %.100s", request)
		}
	}
	if len(requests) == 0 {
		t.Error("no request was seen, not even that of the page")
	}
}

// picture is a screenshot.
type picture struct {
	file       []byte
	colours    int
	background float64 // the brightness of the corner
	drawn      float64 // the share of what has another colour than the corner
}

func newPicture(t *testing.T, file []byte) *picture {
	t.Helper()
	shot, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	type colour [3]uint32
	at := func(x, y int) colour {
		r, g, b, _ := shot.At(x, y).RGBA()
		return colour{r, g, b}
	}
	bounds, seen, drawn := shot.Bounds(), map[colour]bool{}, 0
	if bounds.Dx() < 100 || bounds.Dy() < 100 {
		t.Fatalf("the screenshot has %s", bounds.Size())
	}
	corner := at(0, 0)
	eachPixel(bounds, func(x, y int) {
		c := at(x, y)
		seen[c] = true
		if c != corner {
			drawn++
		}
	})
	return &picture{
		file: file, colours: len(seen), drawn: float64(drawn) / float64(bounds.Dx()*bounds.Dy()),
		background: float64(corner[0]+corner[1]+corner[2]) / 3 / 0xffff,
	}
}

func eachPixel(bounds image.Rectangle, do func(x, y int)) {
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			do(x, y)
		}
	}
}

// foldedAway counts the parts of the page that a reader does not see.
const foldedAway = `[...document.querySelectorAll("details")].filter(d => !d.lastElementChild.checkVisibility()).length`

// checkAxe runs axe-core, which the page has loaded.
func checkAxe(t *testing.T, ctx context.Context, way string) {
	t.Helper()
	violations := value(t, ctx, chromedp.Evaluate[[]violation](`axe.run().then(found => found.violations)`, chromedp.EvalAwaitPromise))
	for _, v := range violations {
		text := fmt.Sprintf("%s: axe-core finds %s: %s", way, v.ID, v.Help)
		for _, node := range v.Nodes[:min(len(v.Nodes), 3)] {
			text += "\n\t" + node.HTML
		}
		t.Error(text)
	}
}

// widths are those of screens, in CSS pixels.
var widths = []int{360, 400, 768, 1280}

// checkWidths shows the page on each width, light and dark, folded and unfolded. Nothing is cut or split, and axe-core
// finds nothing.
func checkWidths(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	for _, width := range widths {
		for _, scheme := range []string{"light", "dark"} {
			value(t, ctx, emulate("screen", scheme))
			value(t, ctx, chromedp.EmulateViewport(int64(width), 800))
			for _, open := range []bool{false, true} {
				way := fmt.Sprintf("%d px, %s, open %t", width, scheme, open)
				value(t, ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelectorAll("details").forEach(d => d.open = %t)`, open)))
				if !open {
					saveScreenshot(t, ctx, name, width, scheme)
				}
				for _, wrong := range value(t, ctx, chromedp.Evaluate[[]string](layoutFaults)) {
					t.Errorf("%s: %s", way, wrong)
				}
			}
			checkAxe(t, ctx, fmt.Sprintf("%d px, %s", width, scheme)) // everything is unfolded
		}
	}
}

// layoutFaults is a script that returns what is wrong with the layout of the page: figures and words that are split over
// lines, text that is cut, plots that are unreadable, and a page that is wider than its screen.
const layoutFaults = `(() => {
	const faults = [], page = document.documentElement;
	if (page.scrollWidth > page.clientWidth) faults.push("the page has " + page.scrollWidth + " px on a screen of " + page.clientWidth);
	const shown = e => e.checkVisibility() && e.getClientRects().length > 0;
	const figure = /(?<![\w./:=-])\$?\d[\d.,:-]*(?:[ \u00a0]%)?(?![\w/])|(?<![\w./:=@-])[A-Za-z]{2,20}(?![\w./:=@-])/g;
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	let figures = 0;
	for (let node; (node = texts.nextNode());) {
		const e = node.parentElement;
		if (!shown(e) || e.closest("svg, style, title, pre")) continue;
		for (const match of node.data.matchAll(figure)) {
			const range = document.createRange();
			range.setStart(node, match.index);
			range.setEnd(node, match.index + match[0].length);
			const lines = new Set([...range.getClientRects()].filter(r => r.width > 0).map(r => Math.round(r.top)));
			if (lines.size > 1) faults.push(match[0] + " is split over " + lines.size + " lines in " + e.outerHTML.slice(0, 90));
			if (lines.size > 0) figures++;
		}
		const range = document.createRange();
		range.selectNodeContents(node);
		const scroll = e.closest(".scroll");
		for (const r of range.getClientRects()) {
			if (!scroll && (r.left < 0 || r.right > page.clientWidth + 0.5)) faults.push("cut by the screen: " + node.data.slice(0, 60));
		}
	}
	if (figures < 5) faults.push("only " + figures + " figures and words were measured");
	for (const e of document.querySelectorAll("body *")) {
		if (!shown(e) || e.closest("svg")) continue;
		const style = getComputedStyle(e);
		if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && style.overflowX !== "visible" && !(e.matches(".scroll") && e.tabIndex === 0))
			faults.push("text is cut in " + e.outerHTML.slice(0, 90));
	}
	for (const e of document.querySelectorAll(".figure")) {
		if (shown(e) && (e.scrollWidth > e.clientWidth + 1 || e.getClientRects().length !== 1)) faults.push("a figure does not fit: " + e.textContent);
	}
	for (const svg of document.querySelectorAll("svg.plot")) {
		if (!shown(svg)) continue;
		const box = svg.getBoundingClientRect();
		for (const text of svg.querySelectorAll("text")) {
			const r = text.getBoundingClientRect(), size = parseFloat(getComputedStyle(text).fontSize) * box.width / svg.viewBox.baseVal.width;
			if (size < 11) faults.push("text of " + size.toFixed(1) + " px in a plot: " + text.textContent);
			if (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1) faults.push("cut in a plot: " + text.textContent);
		}
		if (box.left < 0 || box.right > page.clientWidth + 0.5) faults.push("a plot is wider than the screen");
	}
	return faults.slice(0, 8);
})()`

// screenshots is the directory into which the tests write screenshots of the pages; "" for none.
var screenshots = flag.String("screenshots", "", "write screenshots of the pages into this directory, such as ../docs/screenshots")

// shotHeight is how much of a page a screenshot shows, in CSS pixels.
const shotHeight = 700

// saveScreenshot writes a screenshot of the narrowest screen or of the widest one, as the page first shows itself.
func saveScreenshot(t *testing.T, ctx context.Context, name string, width int, scheme string) {
	t.Helper()
	kind := map[int]string{360: "narrow", 1280: "wide"}[width]
	if *screenshots == "" || kind == "" || strings.Contains(name, "run-") {
		return
	}
	value(t, ctx, chromedp.EmulateViewport(int64(width), shotHeight))
	shot := value(t, ctx, chromedp.CaptureScreenshot())
	if err := os.WriteFile(filepath.Join(*screenshots, fmt.Sprintf("%s-%s-%s.png", name, kind, scheme)), shot, 0o644); err != nil {
		t.Fatal(err)
	}
}

// pagesJob is a job whose report has plots, ceilings and errors.
const pagesJob = `
defaults: {sandbox: true, time-zone: UTC, rate: 1000/1s, report: pages}
jobs:
  nightly: {list: demo.csv, output: 'demo-{date}-{time}.csv', fields: [email, phone], max-spend: 40, daily: 60, monthly: 300}
`

func TestPagesAreAccessibleAndCorrectInABrowser(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("Chromium is not installed, so no page is shown; install Debian's package chromium")
	}
	w := newWorkplace(t, pagesJob)
	w.write("customers-of-the-second-quarter.csv", w.read("demo.csv"))
	w.write("demo.csv", w.headOf("demo.csv", 120))
	w.run(0, "jobs", "run", "nightly")
	w.run(3, "run", "customers-of-the-second-quarter.csv", "--rate", "1000/1s", "-o", "out.csv", "--name", "second-quarter", "--sandbox", "--yes", "--max-spend", "3", "--fields", "email,phone")
	w.run(0, "report", "second-quarter", "-o", "report.html", "--sandbox")
	w.run(0, "report", "--month", time.Now().UTC().Format("2006-01"), "-o", "report-month.html", "--sandbox")
	w.write("new.csv", []byte(strings.ReplaceAll(string(w.headOf("demo.csv", 60)), "Ada", "Adam")))
	w.run(0, "plan", "new.csv", "--html", "plan.html", "--sandbox", "--fields", "email,phone", "--max-spend", "5")
	browser := newBrowser(t)
	if _, err := chromedp.Call(browser, network.Enable, network.EnableParams{}); err != nil { // it starts, for all tabs
		t.Fatal(err)
	}
	runs, err := filepath.Glob(filepath.Join(w.dir, "pages", "nightly-*.html"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("the pages of runs are %q, error %v", runs, err)
	}
	for name, path := range map[string]string{
		"report": "report.html", "report-month": "report-month.html", "plan": "plan.html",
		"jobs-index": "pages/index.html", "report-run-of-job": "pages/" + filepath.Base(runs[0]),
	} {
		t.Run(name, func(t *testing.T) { checkPage(t, browser, filepath.Join(w.dir, path), name) })
	}
}
