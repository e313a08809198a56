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
	maxSaid  = 16 << 10         // octets that the server sends on a connection
	maxRead  = 256 << 10        // octets of a resource that the client reads
	maxBytes = 64 << 20         // bytes that a conversation allocates
	maxTime  = 10 * time.Minute // duration of the whole conversation
	maxDials = 64
)

// secret is a password in URLs and in answers to password prompts. The fuzzing seeds do not
// contain it.
const secret = "sesame-9"

// conversation is the exchange between a client and a hostile server.
type conversation struct {
	t    *testing.T
	peer *hostiletest.Peer
	said string // text that the server sent on all connections

	mu    sync.Mutex // guards texts, because a session runs its own goroutines
	texts []string   // texts that the user sees: errors, traces, titles, notes
	items int
}

// converse opens the URL in text with a client for all schemes, reads the resource, and checks
// properties that every conversation must have. The conversation must end in time and leave no
// goroutine running. It must use limited memory and a limited number of connections. The client
// must return a resource or an error, and all URLs must be valid. No text that the user sees may
// contain the password.
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

// tell records texts that the user would see.
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
		// The number of items is limited by the length of the text that the server has
		// sent.
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

// use sends some text and every key to the session, and reads the session's output.
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

// checkURL checks a URL that the client derived from server text.
func (c *conversation) checkURL(u locus.URL) {
	if u.IsZero() {
		return
	}
	if again, err := locus.Parse(u.String()); err != nil || again != u || strings.ContainsAny(u.String(), "\r\n\x00") {
		c.t.Errorf("%q: %q, %v", u, again, err)
	}
}

// sentLines checks the lines that the client sent on all connections. Each line must end with CR
// LF and contain no other CR, LF or NUL. The function expected must return true for each line.
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

// sentNoSecret checks that the client did not send the password. It is for schemes without a
// login, and for schemes in which a password in the URL is only advice to the user.
func (c *conversation) sentNoSecret() {
	c.t.Helper()
	for _, sent := range c.peer.Sent() {
		if strings.Contains(sent, secret) && !strings.Contains(c.said, secret) {
			c.t.Errorf("sent the password: %q", sent)
		}
	}
}

// command returns a function for sentLines, which reports whether a line begins with one of the
// given words.
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
