package gateway

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/submit"
)

// Clients can't fill tables without limit.
func TestTablesAreBounded(t *testing.T) {
	var l messages
	m := newMetrics(func(string) bool { return false })
	for i := range 4 * (maxShown + maxKeys) {
		l.show(fmt.Sprint(i))
		m.count(&recorder{kind: "page", status: http.StatusOK, url: locus.MustParse(fmt.Sprintf("x-%d://h/", i))}, 0)
		m.observe(t.Context(), access.Attempt{Scheme: fmt.Sprintf("x-%d", i)})(access.AttemptResult{Kind: access.Denied, Rule: fmt.Sprint(i)})
	}
	if len(l.shown) != maxShown {
		t.Errorf("%d previews", len(l.shown))
	}
	if len(m.keys) != maxKeys+1 {
		t.Errorf("%d labels", len(m.keys))
	}
	if len(m.upstream) != 1 || len(m.denials) != maxRules+1 {
		t.Errorf("%d schemes, %d rules", len(m.upstream), len(m.denials))
	}
}

// The fields and the bytes of a form are limited.
func TestFormIsBounded(t *testing.T) {
	for _, c := range []struct {
		fields, length int
		ok             bool
	}{
		{maxParts, 1, true}, {maxParts + 1, 1, false}, {1, maxFormAnswers - 100, true}, {1, maxFormAnswers + 1, false},
	} {
		values := url.Values{}
		for i := range c.fields {
			values.Set(fmt.Sprint(i), strings.Repeat("a", c.length))
		}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(values.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if _, err := readForm(&recorder{ResponseWriter: httptest.NewRecorder()}, r); (err == nil) != c.ok {
			t.Errorf("%d fields of %d bytes: %v", c.fields, c.length, err)
		}
	}
}

// The recipients and the bytes of a message are limited.
func TestComposedMessageIsBounded(t *testing.T) {
	g := &Gateway{options: Options{Mail: &Mail{From: submit.Mailbox{Address: "keeper@gw.example"}}}}
	to := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("p%d@host.example", i)
		}
		return strings.Join(list, ", ")
	}
	for _, test := range []struct {
		to, cc, length int
		want           string
	}{
		{maxRecipients, 0, maxMessageText, ""},
		{1, maxRecipients - 1, 1, ""},
		{maxRecipients + 1, 0, 1, "more than 10 recipients"},
		{maxRecipients, 1, 1, "more than 10 recipients"},
		{1, 0, maxMessageText + 1, "longer than 65536 bytes"},
	} {
		m, err := g.compose(&page.Message{To: to(test.to), Cc: to(test.cc), Body: strings.Repeat("a", test.length)})
		if test.want == "" && (err != nil || m == nil) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%d and %d recipients, %d bytes: %v, want %q", test.to, test.cc, test.length, err, test.want)
		}
	}
}

// A tunnel stays open while one side sends, and ends when both sides have been idle for
// tunnelIdle.
func TestTunnelIdle(t *testing.T) {
	for _, sender := range []string{"the client", "the server", "neither"} {
		synctest.Test(t, func(t *testing.T) {
			client, toClient := net.Pipe()
			server, toServer := net.Pipe()
			var done sync.WaitGroup
			begun, ended := time.Now(), time.Time{}
			done.Go(func() {
				tunnel(client, server)
				ended = time.Now()
			})
			want := tunnelIdle
			if from, to := toClient, toServer; sender != "neither" {
				if sender == "the server" {
					from, to = to, from
				}
				for range 3 {
					time.Sleep(tunnelIdle - time.Second)
					go io.WriteString(from, "a")
					if _, err := to.Read(make([]byte, 1)); err != nil {
						t.Errorf("%s: %v", sender, err)
					}
				}
				want += 3 * (tunnelIdle - time.Second)
			}
			done.Wait()
			if took := ended.Sub(begun); took != want {
				t.Errorf("%s sends: ended after %v, want %v", sender, took, want)
			}
			if _, err := toServer.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("the server is still connected: %v", err)
			}
		})
	}
}
