package acceptance

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// servedPage is "batch serve" in a workplace, and one tab of a browser.
type servedPage struct {
	t        *testing.T
	tab      context.Context
	url      string
	invited  string // the address that signs a browser in
	dir      string // of the lists
	axe      string // the script
	mu       sync.Mutex
	requests []string
}

// servePage starts the page.
func servePage(t *testing.T, w *workplace, browser context.Context, flags ...string) *servedPage {
	t.Helper()
	command := exec.Command(program.path(t), append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)...)
	command.Dir, command.Env = w.dir, w.environment()
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := command.Wait(); err != nil {
			t.Errorf("after SIGTERM: %v", err)
		}
	})
	axe, err := os.ReadFile("testdata/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	p := &servedPage{t: t, dir: w.dir, axe: string(axe)}
	for lines := bufio.NewScanner(out); p.invited == "" && lines.Scan(); {
		if found := regexp.MustCompile(`^(http://[^/]+)/login\?token=\S+$`).FindStringSubmatch(lines.Text()); found != nil {
			p.invited, p.url = found[0], found[1]
		}
	}
	var closeTab context.CancelFunc
	p.tab, closeTab = chromedp.NewContext(browser)
	t.Cleanup(closeTab)
	err = chromedp.Listen(p.tab, func(event any) {
		if sent, ok := event.(*network.EventRequestWillBeSent); ok {
			p.mu.Lock()
			p.requests = append(p.requests, sent.Request.URL)
			p.mu.Unlock()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(p.tab, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	value(t, p.tab, chromedp.EmulateViewport(1280, 800))
	return p
}

// scripts switches the scripts of the page.
func (p *servedPage) scripts(on bool) {
	p.t.Helper()
	value(p.t, p.tab, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
		return err
	}))
}

// until waits until an expression is true in the page. A page that is left meanwhile answers with an error.
func (p *servedPage) until(what, expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.tab, browserTime)
	defer cancel()
	for {
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if err == nil && is {
			return
		}
		if ctx.Err() != nil {
			text, _ := chromedp.Run(p.tab, chromedp.Evaluate[string]("document.body.innerText"))
			p.t.Fatalf("waited too long until %s; the page says:\n%s", what, text)
		}
	}
}

// press presses Tab until the element with a text has the focus, and then a key.
func (p *servedPage) press(text, key string) {
	p.t.Helper()
	const tab, most = "\t", 120
	for range most {
		value(p.t, p.tab, chromedp.KeyEvent(tab))
		found := value(p.t, p.tab, chromedp.Evaluate[string](`(e => (e.innerText || (e.labels && e.labels[0] ? e.labels[0].innerText : "") || "").trim())(document.activeElement)`))
		if found == text {
			outlined := value(p.t, p.tab, chromedp.Evaluate[bool](`parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 1`))
			if !outlined {
				p.t.Errorf("%q has the focus and does not show it", text)
			}
			value(p.t, p.tab, chromedp.KeyEvent(key))
			return
		}
	}
	p.t.Fatalf("%q is not reached by keyboard", text)
}

// heading waits for a screen by the beginning of its heading.
func (p *servedPage) heading(begins string) {
	p.t.Helper()
	p.until("the screen "+begins+" is there", fmt.Sprintf(`document.readyState === "complete" && (document.querySelector("h1") || {innerText: ""}).innerText.startsWith(%q)`, begins))
}

// wholeMatrix makes the test of the served page look at each screen in every way.
var wholeMatrix = flag.Bool("matrix", false, "run axe-core on each screen of the served page on each width, light and dark, instead of in two of these ways")

// pageWidths are the widths of screens, in CSS pixels: a phone, a laptop and a large display.
var pageWidths = []int{360, 1280, 1600}

// checkScreen shows a screen on each width: nothing is cut. Axe-core finds nothing on a dark phone and a light laptop,
// or in every way.
func (p *servedPage) checkScreen(name, path, begins string) {
	p.t.Helper()
	if path != "" {
		value(p.t, p.tab, chromedp.Navigate(p.url+path))
		p.heading(begins)
	}
	value(p.t, p.tab, chromedp.Evaluate[chromedp.Void](p.axe))
	for _, width := range pageWidths {
		value(p.t, p.tab, chromedp.EmulateViewport(int64(width), 800))
		for _, wrong := range value(p.t, p.tab, chromedp.Evaluate[[]string](layoutFaults)) {
			p.t.Errorf("%s, %d px: %s", name, width, wrong)
		}
		for _, scheme := range []string{"light", "dark"} {
			usual := width == 360 && scheme == "dark" || width == 1280 && scheme == "light"
			if !usual && !*wholeMatrix {
				continue
			}
			value(p.t, p.tab, emulate("screen", scheme))
			checkAxe(p.t, p.tab, fmt.Sprintf("%s, %d px, %s", name, width, scheme))
			if usual {
				p.saveScreenshot(name, width, scheme)
			}
		}
	}
	value(p.t, p.tab, emulate("screen", "light"))
	value(p.t, p.tab, chromedp.EmulateViewport(1280, 800))
}

// saveScreenshot writes the screenshots that the documentation shows, without the path of a directory of a test.
func (p *servedPage) saveScreenshot(name string, width int, scheme string) {
	p.t.Helper()
	kind := map[int]string{360: "narrow", 1280: "wide"}[width]
	docs, err := os.ReadFile("../docs/serve.md")
	if err != nil {
		p.t.Fatal(err)
	}
	if *screenshots == "" || !strings.Contains(string(docs), fmt.Sprintf("screenshots/serve-%s-%s-%s.png", name, kind, scheme)) {
		return
	}
	value(p.t, p.tab, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let node; (node = texts.nextNode());) node.data = node.data.replaceAll(%q, "lists");
	})()`, p.dir)))
	saveScreenshot(p.t, p.tab, "serve-"+name, width, scheme)
}

// followInManyTabs opens more tabs on the screen of a run than a browser opens connections to a host. Each follows the
// run.
func (p *servedPage) followInManyTabs(browser context.Context, run string) {
	p.t.Helper()
	const tabs = 9
	var shown []func() string
	for range tabs {
		tab, closeTab := chromedp.NewContext(browser)
		defer closeTab()
		if _, err := chromedp.Call(tab, network.Enable, network.EnableParams{}); err != nil { // it starts, with this context
			p.t.Fatal(err)
		}
		value(p.t, tab, chromedp.Navigate(run))
		shown = append(shown, func() string {
			return value(p.t, tab, chromedp.Evaluate[string](`(document.getElementById("live") || {innerText: ""}).innerText`))
		})
	}
	first := make([]string, tabs)
	for i, text := range shown {
		first[i] = text()
	}
	for i, text := range shown {
		ctx, cancel := context.WithTimeout(p.tab, browserTime)
		defer cancel()
		for text() == first[i] {
			if ctx.Err() != nil {
				p.t.Fatalf("tab %d of %d does not follow the run", i+1, tabs)
			}
		}
	}
}

// drop drops a file on the element with an ID.
func (p *servedPage) drop(path, id string) {
	p.t.Helper()
	middle := value(p.t, p.tab, chromedp.Evaluate[[]float64](fmt.Sprintf(`(() => {
		const e = document.getElementById(%q);
		e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect();
		return [r.left + r.width / 2, r.top + r.height / 2];
	})()`, id)))
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		value(p.t, p.tab, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, input.DispatchDragEvent, input.DispatchDragEventParams{
				Type: kind, X: middle[0], Y: middle[1], Data: &input.DragData{Items: []*input.DragDataItem{}, Files: []string{path}, DragOperationsMask: 1},
			})
			return err
		}))
	}
}

// pageJobs is a job that only starts by hand.
const pageJobs = `
defaults: {sandbox: true, time-zone: UTC, rate-v2: 1000/1s}
jobs:
  nightly: {list: companies.csv, output: 'nightly-{date}-{time}.csv', fields: company, max-units: companies=300, max-spend: 1}
`

func TestTheServedPageInABrowser(t *testing.T) {
	t.Parallel()
	browser := newBrowser(t)
	if _, err := chromedp.Call(browser, network.Enable, network.EnableParams{}); err != nil { // it starts, for all tabs
		t.Fatal(err)
	}
	w := newWorkplace(t, pageJobs)
	w.run(0, "jobs", "run", "nightly")
	p := servePage(t, w, browser, "--sandbox", "--file", "jobs.yaml", "--rate", "1/1s")

	// The first run by keyboard alone and without scripts: three presses of Enter.
	p.scripts(false)
	value(t, p.tab, chromedp.Navigate(p.invited))
	p.heading("Lists")
	p.press("demo.csv", "\r")
	p.heading("Columns of demo.csv")
	p.press("Plan", "\r")
	p.heading("Plan for demo.csv")
	p.press("Approve and start", "\r")
	p.heading("Run demo-email-")
	p.until("the run is shown", `document.querySelector("#live dl") !== null`)
	shown := value(t, p.tab, chromedp.Evaluate[string](`document.getElementById("live").innerText`))
	p.until("the screen is loaded again without scripts", fmt.Sprintf(`(document.getElementById("live") || {}).innerText !== %q`, shown))

	// With scripts the same screen follows the run. It is not loaded again.
	p.scripts(true)
	run := value(t, p.tab, chromedp.Location())
	value(t, p.tab, chromedp.Navigate(run))
	p.heading("Run demo-email-")
	value(t, p.tab, chromedp.Evaluate[int](`window.kept = 1`))
	shown = value(t, p.tab, chromedp.Evaluate[string](`document.getElementById("live").innerText`))
	p.until("the progress changes", fmt.Sprintf(`window.kept === 1 && document.getElementById("live").innerText !== %q`, shown))
	p.followInManyTabs(browser, run)
	p.checkScreen("run", "", "")
	p.press("Stop", "\r")
	p.until("the screen shows the result", `[...document.links].some(a => a.innerText === "Download the result")`)
	path := strings.TrimPrefix(run, p.url)

	p.checkScreen("run-ended", path, "Run demo-email-")
	for _, screen := range []struct{ name, path, begins string }{
		{"lists", "/", "Lists"},
		{"columns", "/columns?list=folder/demo.csv", "Columns of demo.csv"},
		{"plan", "/plan?list=folder/demo.csv&fields=email&fields=phone", "Plan for demo.csv"},
		{"plan-companies", "/plan?list=folder/companies.csv&fields=company&fields=financials", "Plan for companies.csv"},
		{"failure", "/plan?list=folder/demo.csv&fields=email&max-spend=many", "This did not work"},
		{"result", path + "/result?outcome=matched", "Result of"},
		{"doubts", "/doubts", "In doubt"},
		{"budget", "/budget", "Budget"},
		{"runs", "/runs", "Runs"},
		{"report", "/report", "Report"},
		{"jobs", "/jobs", "Jobs"},
		{"browsers", "/browsers", "Browsers"},
	} {
		p.checkScreen(screen.name, screen.path, screen.begins)
	}

	// A file is dropped and uploaded.
	dropped := filepath.Join(t.TempDir(), "dropped.csv")
	if err := os.WriteFile(dropped, w.read("demo.csv"), 0o600); err != nil {
		t.Fatal(err)
	}
	value(t, p.tab, chromedp.Navigate(p.url+"/"))
	p.heading("Lists")
	p.drop(dropped, "file")
	p.until("the dropped file is chosen", `document.getElementById("file").files.length === 1 && document.getElementById("file").files[0].name === "dropped.csv"`)
	p.press("Upload", "\r")
	p.heading("Columns of dropped.csv")

	// Paper has the plan and the report, without buttons.
	for path, begins := range map[string]string{"/plan?list=folder/demo.csv&fields=email": "Plan for demo.csv", "/report": "Report"} {
		value(t, p.tab, chromedp.Navigate(p.url+path))
		p.heading(begins)
		value(t, p.tab, emulate("print", "dark"))
		if n := value(t, p.tab, chromedp.Evaluate[int](`[...document.querySelectorAll("button, nav")].filter(e => e.checkVisibility()).length`)); n != 0 {
			t.Errorf("%s: %d buttons are printed", path, n)
		}
		if n := value(t, p.tab, chromedp.Evaluate[int](foldedAway)); n != 0 {
			t.Errorf("%s: %d parts are not printed", path, n)
		}
		value(t, p.tab, emulate("screen", "light"))
	}

	// A job is paused with a note, by keyboard and without scripts.
	p.scripts(false)
	value(t, p.tab, chromedp.Navigate(p.url+"/jobs"))
	p.heading("Jobs")
	p.press("Note", "why")
	p.press("Pause nightly", "\r")
	p.until("the job is paused", `document.body.innerText.includes("paused: why")`)
	p.press("Resume nightly", "\r")
	p.until("the job starts again", `document.body.innerText.includes("nightly starts again")`)

	p.mu.Lock()
	defer p.mu.Unlock()
	for _, request := range p.requests {
		if !strings.HasPrefix(request, p.url+"/") {
			t.Errorf("the page requests %.100s", request)
		}
	}
	if len(p.requests) < 50 {
		t.Errorf("%d requests were seen only", len(p.requests))
	}
}

// sandboxAddress matches the address of the first interface of "batch sandbox".
var sandboxAddress = regexp.MustCompile(`SERVICE_BASE_URL=(\S+)`)

// serveLosing starts a service that loses responses, and makes commands in a workplace use it.
func serveLosing(t *testing.T, w *workplace) {
	t.Helper()
	command := exec.Command(program.path(t), "sandbox", "--listen", "127.0.0.1:0", "--rate", "1000/1s", "--fault", "lost-after:p=0.2")
	text, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill() // it has nothing to record
		_ = command.Wait()
	})
	for lines := bufio.NewScanner(text); w.environ == nil && lines.Scan(); {
		if found := sandboxAddress.FindStringSubmatch(lines.Text()); found != nil {
			w.environ = []string{"SERVICE_BASE_URL=" + found[1], "SERVICE_API_KEY=sandbox-key"}
		}
	}
}

func TestCallsInDoubtInABrowser(t *testing.T) {
	t.Parallel()
	browser := newBrowser(t)
	if _, err := chromedp.Call(browser, network.Enable, network.EnableParams{}); err != nil { // it starts, for all tabs
		t.Fatal(err)
	}
	w := newWorkplace(t, pageJobs)
	serveLosing(t, w)
	w.run(5, "run", "demo.csv", "-o", "out.csv", "--yes", "--max-spend", "40", "--fields", "email,phone", "--rate", "1000/1s", "--settle-delay", "0s", "--limit", "60")
	p := servePage(t, w, browser, "--settle-delay", "0s")
	value(t, p.tab, chromedp.Navigate(p.invited))
	p.heading("Lists")
	p.checkScreen("doubts-open", "/doubts", "In doubt")

	// By keyboard and without scripts the account is read, and then a call is decided.
	p.scripts(false)
	value(t, p.tab, chromedp.Navigate(p.url+"/doubts"))
	p.heading("In doubt")
	p.press("Compare with the account", "\r")
	p.until("the comparison is shown", `document.querySelector("[role=status] p, [role=status] li") !== null`)
	calls := value(t, p.tab, chromedp.Evaluate[int](`document.querySelectorAll("[name=attempt]").length`))
	if calls == 0 {
		t.Fatal("the account has decided all calls")
	}
	value(t, p.tab, chromedp.Focus(`[name="attempt"]`))
	value(t, p.tab, chromedp.KeyEvent(" "))
	p.press("They were charged", "\r")
	p.until("the call is decided", fmt.Sprintf(`document.querySelectorAll("[name=attempt]").length === %d && document.body.innerText.includes("assumed charged")`, calls-1))
	p.scripts(true)
	p.checkScreen("doubts-decided", "/doubts", "In doubt")
}
