package peers

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	locusurl "github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/news"
)

// crlf converts line ends to CR LF, as in the protocol.
func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// oddID is a message-id that is valid by RFC 5322 and has most characters
// that a URL must escape.
const oddID = "a%b/c?d=e#f+g*h!i'j{k}l|m~n@[127.0.0.1]"

// attachment contains every byte value, and text that looks like the end of an article or like an
// escape.
var attachment = slices.Concat(allOctets(), []byte("\r\n.\r\n\n\r=3D"))

func allOctets() []byte {
	octets := make([]byte, 256)
	for i := range octets {
		octets[i] = byte(i)
	}
	return octets
}

// thread contains the articles of the newsgroup. These are a question, two answers (one with
// attached files), and two unrelated articles. INN adds the dates.
var thread = []string{
	crlf(`From: =?utf-8?Q?Jos=C3=A9_Pe=C3=B1a?= <jose@local.test>
Newsgroups: local.test
Subject: =?iso-8859-1?Q?Un_caf=E9?= =?utf-8?B?IOKCrA==?=
Message-ID: <first@local.test>
MIME-Version: 1.0
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Un caf=E9, por fav=
or.
..two dots
.
.one dot
last
`),
	crlf(`From: Raw =?utf-8?q?=C3=A9?= <raw@local.test>
Newsgroups: local.test,local.other
Subject: Re: caf` + "\u00e9" + ` in eight bits
Message-ID: <` + oddID + `>
References: <first@local.test>
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8; format=flowed
Content-Transfer-Encoding: 8bit

Caf` + "\u00e9" + ` solo, 
en una sola frase.
` + strings.Repeat("long ", 2000) + `end
`),
	crlf(`From: "Files, Inc." <files@local.test>
Newsgroups: local.test
Subject: Files
Message-ID: <files@local.test>
References: <first@local.test>
 <` + oddID + `>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="=_b"

This text is for old programs.
--=_b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: base64

TWlyYSBlc3RlIGZpY2hlcm86IMOxLg==
--=_b
Content-Type: application/octet-stream
Content-Transfer-Encoding: base64
Content-ID: <blob%1@local.test>
Content-Disposition: attachment; filename*=utf-8''men%C3%BA.bin

` + base64Lines(attachment) + `
--=_b
Content-Type: text/html; charset=windows-1252
Content-ID: <page@local.test>
Content-Transfer-Encoding: 8bit

<p>` + "\x80\x20" + `5</p>
--=_b--
`),
	crlf(`From: plain@local.test
Newsgroups: local.test
Subject: No MIME here
Message-ID: <plain@local.test>

Plain.
`),
	crlf(`From: last@local.test
Newsgroups: local.test
Subject: The last one
Message-ID: <last@local.test>

Last.
`),
}

func base64Lines(octets []byte) string {
	var lines []string
	for part := range slices.Chunk(octets, 57) {
		lines = append(lines, base64.StdEncoding.EncodeToString(part))
	}
	return strings.Join(lines, "\n")
}

// startNews starts INN and posts the articles of the thread.
func startNews(t testing.TB) *inn {
	t.Helper()
	n := startINN(t)
	n.post(t, thread...)
	return n
}

// trust returns a TLS configuration that trusts the certificate of the server.
func (p *peer) trust(t testing.TB) *tls.Config {
	t.Helper()
	text, err := os.ReadFile(p.cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return &tls.Config{RootCAs: roots}
}

func (p *peer) nntp(path string) string { return "nntp://" + p.addr() + "/" + path }

// reading is a news client, and the objects that the client needs to open URLs.
type reading struct {
	*access.Client
	asked []scheme.Question
}

// readNews creates a client for the server p. The client answers login requests with the given
// password, if there is one.
func readNews(t testing.TB, p *peer, o news.Options, passwords ...string) *reading {
	t.Helper()
	o.Server = locusurl.MustParse("nntp://" + p.addr())
	client := news.New(&o)
	registry, err := all.Registry(news.Schemes(client)...)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Rules{TypedPrivate: true, Passwords: true})
	if err != nil {
		t.Fatal(err)
	}
	r := new(reading)
	r.Client = access.New(registry, rules, &access.Options{
		Timeout: maxSession, DialTimeout: maxSession, IdleTimeout: maxSession,
		Ask: func(_ context.Context, q scheme.Question) (scheme.Credentials, bool, error) {
			r.asked = append(r.asked, q)
			if q.Attempt >= len(passwords) {
				return scheme.Credentials{}, false, nil
			}
			return scheme.Credentials{User: user, Password: passwords[q.Attempt]}, true, nil
		},
	})
	t.Cleanup(func() { client.Close(); r.Close() })
	return r
}

func (r *reading) do(t testing.TB, u string, items scheme.ItemRange) (scheme.Resource, error) {
	t.Helper()
	result, err := r.Do(t.Context(), access.Request{URL: locusurl.MustParse(u), Items: items})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { result.Resource.Close() })
	return result.Resource, nil
}

// octets returns the whole content of the object at the URL.
func (r *reading) octets(t testing.TB, u string) string {
	t.Helper()
	res, err := r.do(t, u, scheme.ItemRange{})
	o, ok := res.(*scheme.Object)
	if err != nil || !ok {
		t.Fatalf("%s: %T, %v", u, res, err)
	}
	octets, err := io.ReadAll(o.Body)
	if err != nil {
		t.Fatalf("%s: %v", u, err)
	}
	if o.Type != "message/rfc822" {
		t.Errorf("%s is of type %q", u, o.Type)
	}
	return string(octets)
}

// items returns all items of the menu at the URL.
func (r *reading) items(t testing.TB, u string, which scheme.ItemRange) []scheme.Item {
	t.Helper()
	res, err := r.do(t, u, which)
	m, ok := res.(*scheme.Menu)
	if err != nil || !ok {
		t.Fatalf("%s: %T, %v", u, res, err)
	}
	var items []scheme.Item
	for item, err := range m.Items {
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		items = append(items, item)
	}
	return items
}

// fails fails the test unless opening the URL fails with the given kind of error.
func (r *reading) fails(t testing.TB, u string, kind access.Kind) error {
	t.Helper()
	res, err := r.do(t, u, scheme.ItemRange{})
	if err == nil {
		t.Fatalf("%s: %T, want the error %s", u, res, kind)
	}
	if got := access.KindOf(err); got != kind {
		t.Errorf("%s: %s: %v, want %s", u, got, err, kind)
	}
	if strings.Contains(err.Error(), password) {
		t.Errorf("the password is in the message: %v", err)
	}
	return err
}

// field returns a field of an item.
func field(item scheme.Item, name string) any {
	for _, f := range item.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// titles returns the titles of a menu. It marks the lines that are not links.
func titles(items []scheme.Item) []string {
	var list []string
	for _, item := range items {
		text := item.Title
		if item.URL.IsZero() {
			text = "-- " + text
		}
		list = append(list, text)
	}
	return list
}

// same fails the test unless the received article matches the posted article. The received header
// must contain all posted fields, because INN adds fields, and the bodies must be identical.
func same(t testing.TB, got, posted string) {
	t.Helper()
	gotHead, gotBody, ok := strings.Cut(got, "\r\n\r\n")
	head, body, _ := strings.Cut(posted, "\r\n\r\n")
	if !ok || gotBody != body {
		t.Errorf("the body is %q, want %q", clip(gotBody), clip(body))
	}
	fields := headerFields(gotHead)
	for _, f := range headerFields(head) {
		if !slices.Contains(fields, f) {
			t.Errorf("the header lacks %q:\n%s", f, gotHead)
		}
	}
}

// headerFields splits a header into fields with their continuation lines.
func headerFields(head string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(head, "\r\n ", "\x00 "), "\r\n\t", "\x00\t"), "\r\n")
}

// newsOf returns the news URL of an article.
func newsOf(t testing.TB, messageID string) string {
	t.Helper()
	n, err := news.Parts{MessageID: messageID}.URL()
	if err != nil {
		t.Fatal(err)
	}
	return n.URL().String()
}

func TestNewsArticle(t *testing.T) {
	n := startNews(t)
	r := readNews(t, &n.peer, news.Options{})
	for i, posted := range thread {
		same(t, r.octets(t, n.nntp(fmt.Sprintf("local.test/%d", i+1))), posted)
	}
	same(t, r.octets(t, n.nntp("local.other/1")), thread[1])
	same(t, r.octets(t, "news:first@local.test"), thread[0])
	same(t, r.octets(t, newsOf(t, oddID)), thread[1])
	same(t, r.octets(t, "news://"+n.addr()+"/files@local.test"), thread[2])
}

// The list contains all newsgroups that are visible without a login, and their descriptions.
func TestNewsgroups(t *testing.T) {
	n := startNews(t)
	r := readNews(t, &n.peer, news.Options{})
	for u, prefix := range map[string]string{"news:*": "news:", "news://" + n.addr() + "/": "news://" + n.addr() + "/"} {
		items := r.items(t, u, scheme.ItemRange{})
		for _, name := range []string{newsgroup, "local.other", "local.empty", "local.moderated"} {
			i := slices.IndexFunc(items, func(item scheme.Item) bool { return item.Title == name })
			if i < 0 || items[i].Kind != scheme.KindMenu || items[i].URL.String() != prefix+name {
				t.Fatalf("%s: no newsgroup %s among %+v", u, name, items)
			}
			if note := items[i].Note; name == newsgroup && note != "Tests of all kinds, caf\u00e9 included" {
				t.Errorf("%s: the note is %q", u, note)
			}
			if status := field(items[i], "status"); name == "local.moderated" && status != "m" {
				t.Errorf("%s: its status is %v", u, status)
			}
		}
		if slices.Contains(titles(items), secretNewsgroup) {
			t.Errorf("%s: a stranger sees %q", u, titles(items))
		}
	}
}

func TestNewsGroup(t *testing.T) {
	n := startNews(t)
	r := readNews(t, &n.peer, news.Options{})
	items := r.items(t, n.nntp("local.test"), scheme.ItemRange{})
	want := []string{"Un caf\u00e9 \u20ac", "Re: caf\u00e9 in eight bits", "Files", "No MIME here", "The last one"}
	if got := titles(items); !slices.Equal(got, want) {
		t.Fatalf("the newsgroup is %q, want %q", got, want)
	}
	first, second, third := items[0], items[1], items[2]
	if age := time.Since(first.ModTime); age < -time.Minute || age > 10*time.Minute {
		t.Errorf("the first article is of %v", first.ModTime)
	}
	if first.Kind != scheme.KindObject || first.Type != "message/rfc822" || first.Size < int64(len(thread[0])) || first.Size > int64(len(thread[0]))+1000 {
		t.Errorf("the first article is %+v", first)
	}
	if first.URL.String() != n.nntp("local.test/1") {
		t.Errorf("the first article is at %s", first.URL)
	}
	if first.Note != "Jos\u00e9 Pe\u00f1a <jose@local.test>" {
		t.Errorf("it is from %q", first.Note)
	}
	if number := fmt.Sprint(field(second, "number")); number != "2" {
		t.Errorf("the number of the second article is %v", number)
	}
	if id := strings.Trim(fmt.Sprint(field(second, "messageId")), "<>"); id != oddID {
		t.Errorf("the message-id of the second article is %q", id)
	}
	if refs := fmt.Sprint(field(third, "references")); !strings.Contains(refs, "first@local.test") || !strings.Contains(refs, oddID) {
		t.Errorf("the third article's references are %q", refs)
	}
	if got := r.items(t, n.nntp("local.empty"), scheme.ItemRange{}); len(got) != 0 {
		t.Errorf("an empty newsgroup has %q", titles(got))
	}
	// A news URL lists the same articles, identified by their message identifiers.
	byID := r.items(t, "news:local.test", scheme.ItemRange{})
	if got := titles(byID); !slices.Equal(got, want) {
		t.Fatalf("the newsgroup is %q, want %q", got, want)
	}
	for i, item := range byID {
		same(t, r.octets(t, item.URL.String()), thread[i])
	}
	if got := byID[1].URL.String(); got != newsOf(t, oddID) {
		t.Errorf("the second article is %s, want %s", got, newsOf(t, oddID))
	}
}

// A range selects articles by number. The menu says whether it left articles out.
func TestNewsRange(t *testing.T) {
	n := startNews(t)
	r := readNews(t, &n.peer, news.Options{})
	for _, c := range []struct {
		items scheme.ItemRange
		want  []string
		rest  bool
	}{
		{scheme.ItemRange{First: 2, Last: 3}, []string{"Re: caf\u00e9 in eight bits", "Files"}, false},
		{scheme.ItemRange{First: 5}, []string{"The last one"}, false},
		{scheme.ItemRange{Last: 1}, []string{"Un caf\u00e9 \u20ac"}, false},
		{scheme.ItemRange{Newest: 2}, []string{"No MIME here", "The last one"}, true},
		{scheme.ItemRange{First: 1, Last: 3, Newest: 1}, []string{"Files"}, true},
		{scheme.ItemRange{First: 17}, nil, false},
	} {
		got := titles(r.items(t, n.nntp("local.test"), c.items))
		info := len(got) > 0 && strings.HasPrefix(got[0], "-- ")
		if c.rest && !info {
			t.Errorf("%+v: nothing is said of what is not listed: %q", c.items, got)
		}
		if info {
			got = got[1:]
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.items, got, c.want)
		}
	}
}

func TestNewsMissing(t *testing.T) {
	n := startNews(t)
	r := readNews(t, &n.peer, news.Options{})
	for _, u := range []string{n.nntp("local.nope"), n.nntp("local.nope/1"), n.nntp("local.test/99"), n.nntp("local.empty/1"), "news:local.nope", "news:nobody@local.test"} {
		if err := r.fails(t, u, "not-found"); !errors.Is(err, scheme.ErrNotFound) {
			t.Errorf("%s: %v", u, err)
		}
	}
	// The connection can be used again.
	same(t, r.octets(t, n.nntp("local.test/4")), thread[3])
}

// One newsgroup needs a login, and the others do not.
func TestNewsLogin(t *testing.T) {
	n := startNews(t)
	t.Run("over TLS that the server offers", func(t *testing.T) {
		recorded := startRelay(t, n.port)
		p := &peer{port: recorded.port, cert: n.cert}
		r := readNews(t, p, news.Options{TLSConfig: p.trust(t)}, "wrong", password)
		if got := r.items(t, p.nntp(secretNewsgroup), scheme.ItemRange{}); len(got) != 0 {
			t.Errorf("the newsgroup has %q", titles(got))
		}
		if len(r.asked) != 2 || r.asked[1].Attempt != 1 {
			t.Errorf("asked %+v", r.asked)
		}
		sent := recorded.text()
		if !strings.Contains(sent, "STARTTLS\r\n") || strings.Contains(sent, "AUTHINFO") || strings.Contains(sent, password) {
			t.Errorf("sent in clear: %q", sent)
		}
	})
	t.Run("nobody vouches for the server", func(t *testing.T) {
		recorded := startRelay(t, n.port)
		p := &peer{port: recorded.port}
		r := readNews(t, p, news.Options{}, password)
		err := r.fails(t, p.nntp(secretNewsgroup), "protocol")
		if !strings.Contains(err.Error(), "certificate") {
			t.Errorf("no word of the certificate: %v", err)
		}
		if sent := recorded.text(); strings.Contains(sent, "AUTHINFO") {
			t.Errorf("sent in clear: %q", sent)
		}
	})
	t.Run("in clear, refused", func(t *testing.T) {
		recorded := startRelay(t, n.port)
		p := &peer{port: recorded.port}
		r := readNews(t, p, news.Options{StartTLS: news.TLSOff}, password)
		err := r.fails(t, p.nntp(secretNewsgroup), "auth")
		if hint := (*scheme.HintError)(nil); !errors.As(err, &hint) || !strings.Contains(hint.Hint, "nntps") {
			t.Errorf("no advice: %v", err)
		}
		if sent := recorded.text(); strings.Contains(sent, "AUTHINFO") {
			t.Errorf("sent in clear: %q", sent)
		}
	})
	t.Run("in clear, with consent", func(t *testing.T) {
		r := readNews(t, &n.peer, news.Options{StartTLS: news.TLSOff, ClearLogin: true}, password)
		r.items(t, n.nntp(secretNewsgroup), scheme.ItemRange{})
	})
	t.Run("wrong", func(t *testing.T) {
		r := readNews(t, &n.peer, news.Options{TLSConfig: n.trust(t)}, "wrong")
		r.fails(t, n.nntp(secretNewsgroup), "auth")
	})
	t.Run("nobody to ask", func(t *testing.T) {
		r := readNews(t, &n.peer, news.Options{TLSConfig: n.trust(t)})
		r.fails(t, n.nntp(secretNewsgroup), "auth")
	})
	t.Run("from the URL", func(t *testing.T) {
		r := readNews(t, &n.peer, news.Options{TLSConfig: n.trust(t)})
		u := "nntp://" + user + ":" + encodedPassword + "@" + n.addr() + "/" + secretNewsgroup
		r.items(t, u, scheme.ItemRange{})
		if len(r.asked) != 0 {
			t.Errorf("asked %+v", r.asked)
		}
	})
}

// The client reads from nnrpd without innd, with each kind of access rules.
func TestNewsReaders(t *testing.T) {
	n := startNews(t)
	t.Run("a login for everything", func(t *testing.T) {
		p := n.reader(t, "readers-auth.conf")
		r := readNews(t, p, news.Options{TLSConfig: p.trust(t)}, password)
		same(t, r.octets(t, p.nntp("local.test/1")), thread[0])
		r.items(t, p.nntp(secretNewsgroup), scheme.ItemRange{})
		for _, q := range r.asked {
			if q.Attempt != 0 || q.URL.Host() != "127.0.0.1" {
				t.Errorf("asked %+v", q)
			}
		}
	})
	t.Run("TLS from the first octet on", func(t *testing.T) {
		p := n.reader(t, "readers-auth.conf", "-S")
		r := readNews(t, p, news.Options{TLSConfig: p.trust(t)}, password)
		u := "nntps://" + p.addr() + "/local.test"
		same(t, r.octets(t, u+"/1"), thread[0])
		if got := r.items(t, u, scheme.ItemRange{}); len(got) != len(thread) || got[0].URL.String() != u+"/1" {
			t.Errorf("the newsgroup is %+v", got)
		}
		same(t, r.octets(t, "snews://"+p.addr()+"/first@local.test"), thread[0])
		strangers := readNews(t, p, news.Options{}, password)
		if err := strangers.fails(t, u, "protocol"); !strings.Contains(err.Error(), "certificate") {
			t.Errorf("no word of the certificate: %v", err)
		}
	})
	t.Run("read only", func(t *testing.T) {
		p := n.reader(t, "readers-only.conf")
		r := readNews(t, p, news.Options{})
		same(t, r.octets(t, p.nntp("local.test/5")), thread[4])
	})
	t.Run("denied", func(t *testing.T) {
		p := n.reader(t, "readers-deny.conf")
		r := readNews(t, p, news.Options{})
		if err := r.fails(t, p.nntp("local.test/5"), "auth"); !strings.Contains(err.Error(), "502") {
			t.Errorf("%v, want the server's words", err)
		}
	})
}

// The client does not send a URL that would begin another command.
func TestNewsInjection(t *testing.T) {
	n := startNews(t)
	recorded := startRelay(t, n.port)
	p := &peer{port: recorded.port}
	r := readNews(t, p, news.Options{})
	for _, u := range []string{
		p.nntp("local.test%0d%0aPOST"), p.nntp("local.test%0aQUIT/1"), p.nntp("local.test%00"), p.nntp("local.test%20x/1"),
		"news:a%0d%0aPOST@local.test", "news:local.test%0d%0aPOST", "news:a@local.test%3e%20x", "news://" + p.addr() + "/a@local.test%00",
		"nntp://" + user + "%0d%0aPOST:x@" + p.addr() + "/" + secretNewsgroup,
	} {
		if res, err := r.do(t, u, scheme.ItemRange{}); err == nil {
			t.Errorf("%s: %T", u, res)
		}
	}
	if sent := recorded.text(); sent != "" {
		t.Errorf("sent: %q", sent)
	}
}

// The command shows the text of an article and extracts its files.
func TestNewsMessage(t *testing.T) {
	n := startNews(t)
	r := readNews(t, &n.peer, news.Options{})
	for id, want := range map[string][]string{
		"first@local.test": {"Jos\u00e9 Pe\u00f1a <jose@local.test>", "Un caf\u00e9 \u20ac\n", "Un caf\u00e9, por favor.\n..two dots\n.\n.one dot\nlast\n"},
		oddID:              {"Raw \u00e9 <raw@local.test>", "Caf\u00e9 solo, en una sola frase.\n", "long end\n", "news:first@local.test"},
		"files@local.test": {"Mira este fichero: \u00f1.", "application/octet-stream", "men\u00fa.bin", "\u20ac 5", "news:first@local.test", newsOf(t, oddID)},
	} {
		m := parse(t, r.octets(t, newsOf(t, id)))
		var text strings.Builder
		if err := m.WriteText(&text, nil); err != nil || len(m.Faults) != 0 {
			t.Errorf("%s: %v, %v", id, err, m.Faults)
		}
		for _, w := range want {
			if !strings.Contains(text.String(), w) {
				t.Errorf("%s: no %q in\n%s", id, w, clip(text.String()))
			}
		}
	}
	m := parse(t, r.octets(t, "news:files@local.test"))
	part, ok := m.Find("blob%1@local.test")
	if octets, err := io.ReadAll(part.Open()); !ok || err != nil || !bytes.Equal(octets, attachment) {
		t.Errorf("the file is %q, %v", octets, err)
	}
}

// A cid URL opens a part of an article by its Content-ID.
func TestNewsPart(t *testing.T) {
	n := startNews(t)
	r := readNews(t, &n.peer, news.Options{})
	for _, article := range []string{"news:files@local.test", n.nntp("local.test/3")} {
		found, err := r.Do(t.Context(), access.Request{URL: locusurl.MustParse(article)})
		if err != nil {
			t.Fatal(err)
		}
		found.Resource.Close()
		part, err := r.Do(t.Context(), access.Request{URL: locusurl.MustParse("cid:blob%251@local.test"), From: found})
		if err != nil {
			t.Fatal(err)
		}
		defer part.Resource.Close()
		o := part.Resource.(*scheme.Object)
		octets, err := io.ReadAll(o.Body)
		if err != nil || !bytes.Equal(octets, attachment) || o.Type != "application/octet-stream" || o.Size != int64(len(attachment)) {
			t.Errorf("%+v, %q, %v", o, octets, err)
		}
		_, err = r.Do(t.Context(), access.Request{URL: locusurl.MustParse("cid:nothing@local.test"), From: found})
		if !errors.Is(err, scheme.ErrNotFound) {
			t.Errorf("what is not there: %v", err)
		}
	}
}

func parse(t testing.TB, octets string) *message.Message {
	t.Helper()
	m, err := message.Read(strings.NewReader(octets), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// On a pipe, the command writes an article unchanged, and writes a newsgroup as lines.
func TestNewsCommand(t *testing.T) {
	n := startNews(t)
	secure := n.reader(t, "readers-auth.conf", "-S")
	r := locus(t, "get", n.nntp("local.test/3"))
	if r.status != 0 {
		t.Fatalf("status %d: %s", r.status, r.err)
	}
	same(t, r.out, thread[2])
	items := menu(t, n.nntp(newsgroup))
	if u := find(t, items, "Files", "object"); len(items) != len(thread) || u != n.nntp("local.test/3") {
		t.Errorf("the newsgroup is %+v", items)
	}
	failure(t, n.nntp("local.test/99"), "not-found")
	failure(t, n.nntp(secretNewsgroup), "protocol") // the client does not trust the server certificate

	u := "nntps://" + user + ":" + encodedPassword + "@" + secure.addr() + "/"
	r = locusEnv(t, []string{"SSL_CERT_FILE=" + secure.cert}, "get", u+"local.test/1")
	if r.status != 0 {
		t.Fatalf("status %d: %s", r.status, r.err)
	}
	same(t, r.out, thread[0])
	r = locus(t, "get", u+"local.test/1")
	r.want(t, 3, "")
	r.says(t, "certificate")
}
