package all_test

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/hostiletest"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/gemini"
)

// Limits of a conversation with a hostile server.
const (
	maxSaid  = 16 << 10         // octets that it sends on a connection
	maxRead  = 256 << 10        // octets of a resource
	maxBytes = 64 << 20         // bytes that a conversation allocates
	maxTime  = 10 * time.Minute // time for the whole conversation
	maxDials = 64
)

// secret is in URLs and in answers to questions, but not in the octets of a seed.
const secret = "sesame-9"

// A conversation is the exchange between a client and a hostile server, and its end.
type conversation struct {
	t    *testing.T
	peer *hostiletest.Peer
	said string // sent by the server, on all connections

	mu    sync.Mutex // guards texts: a session has its own goroutines
	texts []string   // texts for people: errors, traces, titles, notes
	items int
}

// converse opens text with a client for every scheme, and reads the resource. It checks
// the properties of every conversation. It must end in time, and leave no goroutine
// running. Its memory and number of connections must be bounded. It must give a resource
// or an error, and valid URLs. No text for people may contain the password.
func converse(t *testing.T, peer *hostiletest.Peer, text string) *conversation {
	t.Helper()
	if len(peer.First) > maxSaid || len(peer.Later) > maxSaid {
		t.Skip("too long")
	}
	c := &conversation{t: t, peer: peer, said: string(peer.First) + string(peer.Later)}
	before := allocated()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		c.run(locus.MustParse(text))
		if took := time.Since(begin); took > maxTime {
			t.Errorf("%s: it took %v", text, took)
		}
	})
	if spent := allocated() - before; spent > maxBytes {
		t.Errorf("%s: %d bytes of memory for %d octets", text, spent, len(c.said))
	}
	if n := len(peer.Dials()); n > maxDials {
		t.Errorf("%s: %d connections", text, n)
	}
	for _, s := range c.texts {
		if strings.Contains(s, secret) && !strings.Contains(c.said, secret) {
			t.Errorf("%s: the password is in %q", text, s)
		}
	}
	return c
}

// tell records texts that people would see.
func (c *conversation) tell(texts ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.texts = append(c.texts, texts...)
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func (c *conversation) client() *access.Client {
	client, err := all.Client(&all.Options{
		Rules:   policy.Rules{Passwords: true},
		Schemes: []scheme.Scheme{gemini.Scheme(gemini.New(&gemini.Options{KnownHosts: gemini.InMemory}))},
		Options: access.Options{
			Dial: c.peer.Dial,
			Lookup: func(context.Context, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr("1.2.3.4")}, nil
			},
			Ask: func(_ context.Context, q scheme.Question) (scheme.Credentials, bool, error) {
				return scheme.Credentials{User: "user", Password: secret}, q.Attempt < 2, nil
			},
			Trace: func(locus.URL) scheme.TraceFunc { return func(_ bool, line string) { c.tell(line) } },
			Limit: maxRead,
			Total: maxTime - time.Second,
		},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return client
}

func (c *conversation) run(u locus.URL) {
	client := c.client()
	defer client.Close()
	result, err := client.Open(context.Background(), u.String())
	if err != nil {
		c.tell(err.Error())
		if result != nil && result.Resource != nil {
			c.t.Errorf("%s: %+v beside %v", u, result, err)
		}
		return
	}
	if result == nil || result.Resource == nil {
		c.t.Fatalf("%s: no resource and no error", u)
	}
	defer result.Resource.Close()
	if err := c.read(result.Resource); err != nil {
		c.tell(err.Error())
	}
}

// read reads a resource to its end.
func (c *conversation) read(res scheme.Resource) error {
	switch r := res.(type) {
	case *scheme.Object:
		n, err := io.Copy(io.Discard, r.Body)
		c.tell(r.Name, r.Type, r.Note)
		if n > maxRead {
			c.t.Errorf("an object of %d octets", n)
		}
		if err == nil && r.Size >= 0 && r.Start+n < r.Size {
			c.t.Errorf("only %d octets from %d of %d, without an error", n, r.Start, r.Size)
		}
		return err
	case *scheme.Menu:
		return c.readMenu(r)
	case *scheme.Session:
		return c.use(r)
	case *scheme.Redirect:
		for _, u := range r.To {
			c.checkURL(u)
		}
		return nil
	}
	return fmt.Errorf("a resource of type %T", res)
}

func (c *conversation) readMenu(m *scheme.Menu) error {
	c.tell(m.Title, m.Note)
	if m.Form != nil {
		c.tell(m.Form.Title)
		if u, err := m.Form.Submit(m.Form.Defaults()); err == nil {
			c.checkURL(u)
		}
	}
	if m.Items == nil {
		return nil
	}
	for item, err := range m.Items {
		if err != nil {
			return err
		}
		// The items must come from the text that the server has sent.
		if c.items++; c.items > 64+len(c.said) {
			c.t.Fatalf("%d items out of %d octets", c.items, len(c.said))
		}
		if item.Size < -1 {
			c.t.Errorf("%+v", item)
		}
		c.tell(item.Title, item.Note)
		c.checkURL(item.URL)
	}
	return nil
}

// use types some text, presses every key, and reads the output of the session.
func (c *conversation) use(s *scheme.Session) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Conn.SetWindow(100, 30)
		_, _ = io.WriteString(s.Conn, "ls\r\n")
		for _, name := range s.Conn.Commands() {
			_ = s.Conn.Command(name)
		}
		for _, field := range s.Conn.Status() {
			c.tell(field.Text())
		}
		s.Conn.Echoes()
	}()
	_, err := io.Copy(io.Discard, io.LimitReader(s.Conn, maxRead))
	s.Close()
	<-done
	return err
}

// checkURL checks a URL that was made from a server's text.
func (c *conversation) checkURL(u locus.URL) {
	if u.IsZero() {
		return
	}
	if again, err := locus.Parse(u.String()); err != nil || again != u || strings.ContainsAny(u.String(), "\r\n\x00") {
		c.t.Errorf("%q: %q, %v", u, again, err)
	}
}

// sentLines checks the lines that were sent on all connections. Each must end with CR LF
// and contain no other CR, LF or NUL, and expected must return true for it.
func (c *conversation) sentLines(expected func(line string) bool) {
	c.t.Helper()
	for _, sent := range c.peer.Sent() {
		for line := range strings.SplitAfterSeq(sent, "\n") {
			if line == "" {
				continue
			}
			whole, ok := strings.CutSuffix(line, "\r\n")
			if !ok || strings.ContainsAny(whole, "\r\x00") || !expected(whole) {
				c.t.Errorf("sent %q of %q", line, sent)
			}
		}
	}
}

// sentNoSecret checks that the password was not sent, in schemes in which it is only
// advice or no login exists.
func (c *conversation) sentNoSecret() {
	c.t.Helper()
	for _, sent := range c.peer.Sent() {
		if strings.Contains(sent, secret) && !strings.Contains(c.said, secret) {
			c.t.Errorf("sent the password: %q", sent)
		}
	}
}

// command returns a function for sentLines: a line must begin with one of words.
func command(words ...string) func(string) bool {
	return func(line string) bool {
		word, _, _ := strings.Cut(line, " ")
		for _, w := range words {
			if word == w {
				return true
			}
		}
		return false
	}
}
