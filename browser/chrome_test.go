package browser

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed testdata/axe.min.js
var axe string

// testTimeout is the deadline of each step. It is long enough for a busy machine.
const testTimeout = 2 * time.Minute

// tab is a browser tab that records faults and requests.
type tab struct {
	ctx  context.Context
	base string

	mu       sync.Mutex
	faults   []string
	requests []string
}

// missing skips a test for which a requirement is missing. In CI, it fails the test.
func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// newTab starts a browser with an empty profile for one test.
func newTab(t testing.TB, base string) *tab {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		missing(t, "chromium is not installed: .ci/peers does that")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
	)
	ctx, cancel := context.WithTimeout(context.Background(), 5*testTimeout)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{ctx: ctx, base: base}
	if err := chromedp.Listen(ctx, b.record); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The browser must end before the test removes the profile.
		if err := chromedp.Cancel(ctx); err != nil {
			t.Log(err)
		}
	})
	return b
}

// record records console messages and requests.
func (b *tab) record(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		for _, a := range e.Args {
			b.faults = append(b.faults, "console: "+string(a.Value))
		}
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			b.faults = append(b.faults, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *network.EventWebSocketCreated:
		b.requests = append(b.requests, strings.Replace(e.URL, "ws", "http", 1))
	}
}

// ignoreFault removes the faults that contain text, and reports whether there were any.
func (b *tab) ignoreFault(text string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.faults)
	b.faults = slices.DeleteFunc(b.faults, func(fault string) bool { return strings.Contains(fault, text) })
	return len(b.faults) < n
}

// checkClean fails the test for each fault so far, and for requests to other hosts.
func (b *tab) checkClean(t testing.TB) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fault := range b.faults {
		t.Error(fault)
	}
	for _, request := range b.requests {
		// The browser's own audio controls use data: URLs.
		if !strings.HasPrefix(request, b.base+"/") && !strings.HasPrefix(request, "data:") {
			t.Errorf("request to another host: %s", request)
		}
	}
	b.faults, b.requests = nil, nil
}

// run runs steps, which must succeed.
func (b *tab) run(t testing.TB, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, testTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		where, _ := chromedp.Run(b.ctx, chromedp.Location())
		t.Fatalf("%s: %v", where, err)
	}
}

// get runs a step and returns its result.
func get[T any](t testing.TB, b *tab, step chromedp.Action[T]) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, testTimeout)
	defer cancel()
	value, err := chromedp.Run(ctx, step)
	if err != nil {
		where, _ := chromedp.Run(b.ctx, chromedp.Location())
		t.Fatalf("%s: %v", where, err)
	}
	return value
}

// eval returns the value of a JavaScript expression.
func eval[T any](t testing.TB, b *tab, expression string) T {
	t.Helper()
	return get(t, b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// await waits until a JavaScript expression is true. The expression may fail before, for example
// because the previous page is still open.
func (b *tab) await(t testing.TB, expression string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, testTimeout)
	defer cancel()
	for {
		yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if err == nil && yes {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			where, _ := chromedp.Run(b.ctx, chromedp.Location())
			body, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.querySelector('main').innerText"))
			t.Fatalf("%s: never true: %s: %v\n%s", where, expression, err, body)
		}
	}
}

// open opens the page of a URL.
func (b *tab) open(t testing.TB, u string) {
	t.Helper()
	b.visit(t, "/?url="+url.QueryEscape(u))
}

// visit opens a path of the gateway.
func (b *tab) visit(t testing.TB, path string) {
	t.Helper()
	b.run(t, chromedp.Navigate(b.base+path))
}

// text returns the text of the first element that matches a selector.
func (b *tab) text(t testing.TB, selector string) string {
	t.Helper()
	return eval[string](t, b, fmt.Sprintf("(document.querySelector(%q) || {textContent: ''}).textContent", selector))
}

// setView sets the color scheme and the window size.
func (b *tab) setView(t testing.TB, colours string, width, height int64) {
	t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500})
	if err != nil {
		t.Fatal(err)
	}
	_, err = chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}}})
	if err != nil {
		t.Fatal(err)
	}
}

// checkAccessible fails the test for each fault that axe-core finds.
func (b *tab) checkAccessible(t testing.TB) {
	t.Helper()
	where := get(t, b, chromedp.Location())
	// The DevTools protocol is not subject to the page's Content-Security-Policy.
	get(t, b, chromedp.Evaluate[chromedp.Void](axe+";undefined"))
	faults := eval[[]string](t, b, `(async () => {
		document.querySelectorAll("details").forEach((d) => { d.open = true; });
		const result = await axe.run(document, {iframes: false});
		return result.violations.map((v) => v.impact + " " + v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + n.failureSummary).join(" | "));
	})()`)
	for _, fault := range faults {
		t.Errorf("%s: %s", where, fault)
	}
}

// checkWidth fails the test if the page is wider than the window.
func (b *tab) checkWidth(t testing.TB) {
	t.Helper()
	if wide := eval[int](t, b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
		t.Errorf("%s: %d pixels too wide", get(t, b, chromedp.Location()), wide)
	}
}
