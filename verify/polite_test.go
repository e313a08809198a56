package verify

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// clock is a scheme that uses no network and simulated time. The field answer determines the
// duration and the result of each request.
type clock struct {
	mu     sync.Mutex
	begin  time.Time
	asked  []string // "seconds host/path"
	active map[string]int
	most   map[string]int
	answer func(u locus.URL, n int) (time.Duration, error)
	leads  map[string]string // redirect targets by URL
	times  map[locus.URL]int
}

func (c *clock) open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	u := req.URL
	path, _ := u.Path()
	c.mu.Lock()
	c.asked = append(c.asked, fmt.Sprintf("%v %s/%s", time.Since(c.begin), u.Host(), path))
	c.active[u.Host()]++
	c.most[u.Host()] = max(c.most[u.Host()], c.active[u.Host()])
	c.times[u]++
	took, err := c.answer(u, c.times[u])
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.active[u.Host()]--
		c.mu.Unlock()
	}()
	select {
	case <-time.After(took):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if to := c.leads[u.String()]; to != "" {
		return &scheme.Redirect{URL: u, To: []locus.URL{locus.MustParse(to)}}, nil
	}
	return &scheme.Object{URL: u, Body: io.NopCloser(strings.NewReader("")), Size: -1}, nil
}

// verifier returns a Verifier and starts the simulated time.
func (c *clock) verifier(t *testing.T, o Options) *Verifier {
	t.Helper()
	same := func(u locus.URL) (locus.URL, locus.Change, error) { return u, 0, nil }
	r, err := scheme.NewRegistry(scheme.Scheme{Name: "x-clock", Port: 4711, Status: scheme.Experimental, Syntax: scheme.Syntax{Canonical: same}, Access: scheme.Access{Protocol: "a test", Opener: scheme.OpenerFunc(c.open)}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{AllowPrivate: true}) // the host names consist of one label
	if err != nil {
		t.Fatal(err)
	}
	client := access.New(r, p, nil)
	t.Cleanup(func() { client.Close() })
	o.Document.Extract.Schemes = extract.Named(extract.Any, "x-clock")
	c.begin, c.active, c.most, c.times = time.Now(), map[string]int{}, map[string]int{}, map[locus.URL]int{}
	return New(client, &o)
}

func (c *clock) run(t *testing.T, o Options, text string) []Result {
	t.Helper()
	return slices.Collect(c.verifier(t, o).Run(t.Context(), slices.Values([]Source{textDoc("d", text)})))
}

func good(locus.URL, int) (time.Duration, error) { return 0, nil }

func TestInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{answer: good}
		c.run(t, Options{Politeness: access.Politeness{Interval: time.Second, PerHost: 4}}, "x-clock://a/1 x-clock://a/2 x-clock://b/1 x-clock://a/3 x-clock://b/2")
		slices.Sort(c.asked)
		if got := strings.Join(c.asked, ", "); got != "0s a/1, 0s b/1, 1s a/2, 1s b/2, 2s a/3" {
			t.Errorf("asked %s", got)
		}
	})
}

func TestPerHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{answer: func(locus.URL, int) (time.Duration, error) { return time.Second, nil }}
		var text strings.Builder
		for i := range 12 {
			fmt.Fprintf(&text, "x-clock://a/%d x-clock://b/%d\n", i, i)
		}
		c.run(t, Options{Politeness: access.Politeness{Interval: access.None, PerHost: 3}}, text.String())
		if c.most["a"] != 3 || c.most["b"] != 3 || time.Since(c.begin) != 4*time.Second {
			t.Errorf("at once %v, in %v", c.most, time.Since(c.begin))
		}
	})
}

// A host name with the default port, and in any letter case, denotes the same host.
func TestHostOf(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", pages)
	v := New(w.client, &w.o)
	text := "http://a.example/1 http://a.example:80/2 http://A.EXAMPLE:080/3 http://a.example:8080/4 mailto:a@b.example mailto:c@B.example?subject=x"
	for range v.Run(t.Context(), slices.Values([]Source{textDoc("d", text)})) {
	}
	var got []string
	_, _, hosts := v.queue.Stats()
	for _, h := range hosts {
		got = append(got, h.Host)
	}
	slices.Sort(got)
	if text := strings.Join(got, ", "); text != "a.example, a.example:8080, mail b.example" {
		t.Errorf("hosts %s", text)
	}
}

func answered(code int) error {
	return fmt.Errorf("%w: %w", scheme.ErrProtocol, &textproto.Error{Code: code, Msg: "later"})
}

func busy(code int, after time.Duration) error {
	return &scheme.RetryAfterError{Err: answered(code), After: after}
}

// If a server requests a pause, no goroutine sends a request to the server during the pause.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{answer: func(u locus.URL, n int) (time.Duration, error) {
			if path, _ := u.Path(); path == "1" && n == 1 {
				return 0, busy(429, 30*time.Second)
			}
			return time.Second, nil
		}}
		got := c.run(t, Options{Politeness: access.Politeness{Interval: access.None, PerHost: 1}}, "x-clock://a/1 x-clock://a/2 x-clock://b/2")
		if got[0].Verdict != Alive || got[0].Tries != 2 || got[1].Verdict != Alive || got[1].Tries != 1 {
			t.Errorf("%+v", got)
		}
		for _, asked := range c.asked {
			if d, _ := time.ParseDuration(strings.Fields(asked)[0]); strings.Contains(asked, " a/") && asked != "0s a/1" && d < 30*time.Second {
				t.Errorf("asked %v", c.asked)
			}
		}
	})
}

// A host that requests a longer pause than the limit gets no more requests.
func TestRetryAfterTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{answer: func(u locus.URL, n int) (time.Duration, error) { return 0, busy(503, time.Hour) }}
		got := c.run(t, Options{Politeness: access.Politeness{Interval: time.Second, PerHost: 1}}, "x-clock://a/1 x-clock://a/2 x-clock://a/3")
		if len(c.asked) != 1 || time.Since(c.begin) > time.Minute {
			t.Errorf("asked %v in %v", c.asked, time.Since(c.begin))
		}
		for i, r := range got {
			if r.Verdict != Warning || i > 0 && (!strings.Contains(r.Detail, "1h0m0s") || r.Tries != 0) {
				t.Errorf("%+v", r)
			}
		}
	})
}

// timeoutError is the error for a silent server.
type timeoutError struct{}

func (timeoutError) Error() string   { return "no answer in time" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

// The Verifier retries after a temporary failure, and reports a warning if the failure persists.
func TestRetries(t *testing.T) {
	refused := fmt.Errorf("%w: %w", scheme.ErrUnreachable, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)})
	for _, c := range []struct {
		name  string
		err   error
		fails int // number of failures
		want  Verdict
		tries int
	}{
		{"at once", nil, 0, Alive, 1},
		{"late", timeoutError{}, 1, Alive, 2},
		{"later", timeoutError{}, 2, Alive, 3},
		{"never", timeoutError{}, 9, Warning, 3},
		{"error", busy(500, 0), 1, Alive, 2},
		{"errors", busy(502, 0), 9, Warning, 3},
		{"busy", busy(429, 0), 2, Alive, 3},
		{"refused once", refused, 1, Alive, 2},
		{"refused", refused, 9, Dead, 3},
		{"broken", scheme.ErrProtocol, 9, Warning, 3},
		{"not found", scheme.ErrNotFound, 9, Dead, 1},
		{"login", scheme.ErrAuth, 9, Warning, 1},
		{"too large", scheme.ErrTooLarge, 9, Alive, 1},
		{"unsupported", scheme.ErrUnsupported, 9, Unsupported, 1},
		{"no such name", &net.DNSError{IsNotFound: true}, 9, Dead, 1},
		{"no name server", &net.DNSError{IsTemporary: true}, 9, Warning, 3},
		{"bad request", answered(400), 9, Warning, 1},
		{"law", answered(451), 9, Warning, 1},
		{"loop", fmt.Errorf("%w: %w", scheme.ErrProtocol, access.ErrRedirectLoop), 9, Warning, 1},
		{"not now", scheme.ErrUnreachable, 9, Warning, 3},
		{"not now, and then", scheme.ErrUnreachable, 1, Alive, 2},
		{"too many connections", fmt.Errorf("%w: %w", scheme.ErrUnreachable, &textproto.Error{Code: 421}), 9, Warning, 3},
		{"no gateway", &access.ProxyError{Err: refused}, 9, Warning, 3},
		{"no name of a gateway", &access.ProxyError{Err: &net.DNSError{IsNotFound: true}}, 9, Warning, 3},
		{"certificate", fmt.Errorf("%w: %w", scheme.ErrUnreachable, &tls.CertificateVerificationError{Err: io.EOF}), 9, TLS, 1},
		{"no TLS", fmt.Errorf("%w: %w", scheme.ErrUnreachable, tls.RecordHeaderError{}), 9, TLS, 1},
		{"strange status", answered(999), 9, Warning, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := &clock{answer: func(_ locus.URL, n int) (time.Duration, error) {
					if n <= c.fails {
						return 0, c.err
					}
					return 0, nil
				}}
				got := k.run(t, Options{Politeness: access.Politeness{Wait: 10 * time.Second}}, "x-clock://a/1")
				if len(got) != 1 || got[0].Verdict != c.want || got[0].Tries != c.tries {
					t.Errorf("%+v", got)
				}
				// The minimum of each pause is half its maximum, and doubles with each retry.
				least := []time.Duration{0, 0, 5 * time.Second, 15 * time.Second}[c.tries]
				if passed := time.Since(k.begin); passed < least || passed > 4*least {
					t.Errorf("it took %v", passed)
				}
			})
		})
	}
	k := &clock{answer: func(locus.URL, int) (time.Duration, error) { return 0, timeoutError{} }}
	if got := k.run(t, Options{Politeness: access.Politeness{Retry: access.None}}, "x-clock://a/1"); got[0].Tries != 1 || got[0].Verdict != Warning {
		t.Errorf("%+v", got)
	}
}

// The Verifier cancels an attempt that exceeds the time limit.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{answer: func(locus.URL, int) (time.Duration, error) { return 24 * time.Hour, nil }}
		got := c.run(t, Options{Politeness: access.Politeness{Retry: access.None}, Timeout: time.Minute}, "x-clock://a/1")
		if got[0].Verdict != Warning || time.Since(c.begin) != time.Minute {
			t.Errorf("%+v in %v", got, time.Since(c.begin))
		}
	})
}

// When the run is interrupted, it yields the known results, and the verdict Unknown for other
// links.
func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := &clock{answer: func(u locus.URL, _ int) (time.Duration, error) {
			if u.Host() == "slow" {
				return 24 * time.Hour, nil
			}
			return time.Second, nil
		}}
		v := c.verifier(t, Options{Timeout: 48 * time.Hour})
		time.AfterFunc(time.Minute, cancel)
		var got []string
		for r := range v.Run(ctx, slices.Values([]Source{textDoc("d", "x-clock://slow/1 x-clock://a/2"), textDoc("e", "x-clock://a/3")})) {
			got = append(got, line(r))
		}
		if text := strings.Join(got, ", "); text != "d:1 x-clock://slow/1 unknown, d:1 x-clock://a/2 alive, e:1 x-clock://a/3 alive" {
			t.Error(text)
		}
		if p := v.Progress(); p.Done != 2 || p.Found != 3 || p.Documents != 2 || p.Links != 3 {
			t.Errorf("%+v", p)
		}
	})
}

// If the caller stops early, no goroutine remains.
func TestBreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{answer: good}
		for range c.verifier(t, Options{}).Run(t.Context(), slices.Values([]Source{textDoc("d", "x-clock://a/1 x-clock://a/2 x-clock://a/3")})) {
			break
		}
	})
}

func TestSlowest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{answer: func(u locus.URL, _ int) (time.Duration, error) {
			return map[string]time.Duration{"a": time.Second, "b": 3 * time.Second, "c": 2 * time.Second}[u.Host()], nil
		}}
		v := c.verifier(t, Options{})
		for range v.Run(t.Context(), slices.Values([]Source{textDoc("d", "x-clock://a/1 x-clock://b/1 x-clock://b/2 x-clock://c/1")})) {
		}
		want := []HostTime{{"b", 2, 3 * time.Second, 3 * time.Second}, {"c", 1, 2 * time.Second, 2 * time.Second}}
		if got := v.Slowest(2); !slices.Equal(got, want) {
			t.Errorf("%+v", got)
		}
	})
}
