package acceptance

import (
	"bytes"
	"context"
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

// checkPage shows a file in the browser: in each way, with no other request, and without a violation of axe-core.
func checkPage(t *testing.T, path string) {
	t.Helper()
	ctx := newBrowser(t)
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
		value(t, ctx, chromedp.Evaluate[chromedp.Void](string(axe)))
		violations := value(t, ctx, chromedp.Evaluate[[]violation](`axe.run().then(found => found.violations)`, chromedp.EvalAwaitPromise))
		for _, v := range violations {
			text := fmt.Sprintf("%s: axe-core finds %s: %s", way.name, v.ID, v.Help)
			for _, node := range v.Nodes[:min(len(v.Nodes), 3)] {
				text += "\n\t" + node.HTML
			}
			t.Error(text)
		}
	}
	if bytes.Equal(shots["light"].file, shots["dark"].file) || bytes.Equal(shots["light"].file, shots["print"].file) {
		t.Error("the screenshots do not differ")
	}
	value(t, ctx, emulate("screen", "light"))
	paper := value(t, ctx, chromedp.PrintToPDF())
	value(t, ctx, chromedp.EmulateViewport(400, 800))
	overflow := value(t, ctx, chromedp.Evaluate[bool](`document.documentElement.scrollWidth > innerWidth`))
	if !bytes.HasPrefix(paper, []byte("%PDF-")) {
		t.Error("the page cannot be printed")
	}
	if overflow {
		t.Error("on a narrow screen the page is wider than the screen")
	}
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

// pagesJob is a job whose report has plots, ceilings and errors.
const pagesJob = `
defaults: {sandbox: true, time-zone: UTC, rate: 1000/1s, report: pages}
jobs:
  nightly: {list: demo.csv, output: 'demo-{date}-{time}.csv', fields: [email, phone], max-spend: 40, daily: 60, monthly: 300}
`

func TestThePagesInABrowser(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("Chromium is not installed, so no page is shown; install Debian's package chromium")
	}
	w := newWorkplace(t, pagesJob)
	w.write("demo.csv", w.headOf("demo.csv", 120))
	w.run(0, "jobs", "run", "nightly")
	w.run(0, "report", "--job", "nightly", "-o", "report.html", "--sandbox")
	w.write("new.csv", []byte(strings.ReplaceAll(string(w.headOf("demo.csv", 60)), "Ada", "Adam")))
	w.run(0, "plan", "new.csv", "--html", "plan.html", "--sandbox", "--fields", "email,phone", "--max-spend", "5")
	for _, name := range []string{"report.html", "plan.html", "pages/index.html"} {
		t.Run(name, func(t *testing.T) { checkPage(t, filepath.Join(w.dir, name)) })
	}
}
