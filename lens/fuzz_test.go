package lens

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme/all"
)

// Whatever a program prints, there must be an error or a result for each URL, and each
// line must be about its URL.
func FuzzResults(f *testing.F) {
	for _, seed := range []string{
		"version eA==\n0 1 ok scheme:aHR0cA== host:aA==\n1 2 no eA==\n", "version eA==\r\n0 1 ok\r\n1 2 ok unseen:path\r\n", "version eA==\n0 1 ok path:\n1 2 no \n",
		"", "\n", "version \n", "version eA==\n0 1 maybe\n1 2 no eA==", "version eA==\n1 1 no eA==\n0 2 no eA==\n", "version eA==\n0 1 ok host:a host:b\n1 2 ok unseen:\n",
	} {
		f.Add([]byte(seed))
	}
	urls := []string{"a", "bb"}
	f.Fuzz(func(t *testing.T, output []byte) {
		version, list, err := decodeResults(output, urls)
		if err != nil {
			if list != nil || version != "" {
				t.Errorf("answers with %v", err)
			}
			return
		}
		lines := strings.Split(string(output), "\n")
		if version == "" || len(list) != len(urls) || len(lines) < len(urls)+1 {
			t.Fatalf("%d answers from %q", len(list), output)
		}
		for i := range list {
			if !strings.HasPrefix(lines[i+1], strconv.Itoa(i)+" "+strconv.Itoa(len(urls[i]))+" ") {
				t.Errorf("%q is an answer about %q", lines[i+1], urls[i])
			}
			for j, p := range list[i].parts() {
				if *p != nil && !strings.Contains(lines[i+1], PartNames()[j]+":") {
					t.Errorf("%q has no %s", lines[i+1], PartNames()[j])
				}
			}
		}
	})
}

// converse runs serve for a client that sends input. It returns the data that the client received.
func converse(input []byte, serve func(net.Conn, func(user, password string) bool) (proxyRequest, error)) (a proxyRequest, logins [][2]string, err error) {
	client, server := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		go func() {
			_, _ = client.Write(input)
			client.Close()
		}()
		_, _ = io.Copy(io.Discard, client)
	}()
	a, err = serve(server, func(user, password string) bool {
		logins = append(logins, [2]string{user, password})
		return password == "right"
	})
	server.Close()
	client.Close()
	<-done
	return a, logins, err
}

// A recording SOCKS proxy must accept only a client with the password, and record the host
// and port that it sends.
func FuzzSOCKS(f *testing.F) {
	hello := "\x05\x01\x02\x01\x011\x05right"
	for _, seed := range []string{
		hello + "\x05\x01\x00\x03\x09h.example\x00\x50GET / HTTP/1.1\r\n\r\n", hello + "\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50", hello + "\x05\x01\x00\x04" + strings.Repeat("\x00", 15) + "\x01\x00\x50",
		hello, "\x05\x01\x02\x01\x011\x05wrong\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50", "\x04\x01\x00\x50\x7f\x00\x00\x01\x00", hello + "\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50", hello + "\x05\x01\x00\x05", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		a, logins, err := converse(input, serveSOCKS)
		if err != nil {
			return
		}
		if len(logins) != 1 || logins[0][1] != "right" {
			t.Errorf("%q is served with the logins %q", input, logins)
		}
		if port, err := strconv.ParseUint(a.port, 10, 16); err != nil || port > 65535 || len(a.host) > 255 || !bytes.Contains(input, a.request) {
			t.Errorf("%q asks for %+v", input, a)
		}
	})
}

// A recording HTTP proxy must accept only a client with the password.
func FuzzHTTPProxy(f *testing.F) {
	login := "Proxy-Authorization: Basic MTpyaWdodA==\r\n"
	for _, seed := range []string{
		"GET http://h.example:81/a?b HTTP/1.1\r\nHost: h.example:81\r\n" + login + "\r\n", "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n" + login + "\r\n",
		"GET / HTTP/1.1\r\n\r\n", "GET\r\n\r\n", "", "\r\n\r\n", "GET http://u:p@h/ HTTP/1.1\r\nHost: h\r\nAuthorization: Basic dTpw\r\n" + login + "\r\n", "GET a HTTP/1.1\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		a, logins, err := converse(input, serveHTTP)
		if err != nil {
			return
		}
		if len(logins) != 1 || logins[0][1] != "right" || !bytes.HasPrefix(input, a.request) {
			t.Errorf("%q is served with the logins %q", input, logins)
		}
		if r := wgetReading(a); !r.OK || r.Host == nil {
			t.Errorf("%q is read as %+v", input, r)
		}
	})
}

// The recorded data of a connection must be limited.
func TestRecorderLimit(t *testing.T) {
	endless := io.LimitReader(zeros{}, 8*maxRequest)
	if _, err := readHead(bufio.NewReader(io.LimitReader(endless, maxRequest))); err == nil {
		t.Error("an endless header is one")
	}
	a, _, err := converse(append([]byte("\x05\x01\x02\x01\x011\x05right\x05\x01\x00\x03\x01h\x00\x50"), make([]byte, 2*maxRequest)...), serveSOCKS)
	if err != nil || len(a.request) > maxRequest {
		t.Errorf("%d octets, %v", len(a.request), err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// Any text must have a report: valid JSON without a password, correct offsets, and
// danger only if the targets differ.
func FuzzLook(f *testing.F) {
	for _, seed := range []string{
		"http://example.com/", `http://a\@b/`, "http://u:pw@h:80/a?b#c", "http:/h", "//h/", "mailto:a@b", "http://[::1%25x]/", "http://\xff/", "http://h:0080:1/", "", "\x00", "http://a:b@c:d@e/", "http://ſ.example/", "h:***@x//",
	} {
		f.Add(seed)
	}
	r, err := all.Registry()
	if err != nil {
		f.Fatal(err)
	}
	l := New(r, append(Standards(r), InProcess(r)...)...)
	f.Fuzz(func(t *testing.T, url string) {
		reports, err := l.Compare(t.Context(), []string{url})
		if err != nil {
			t.Fatal(err)
		}
		report := reports[0]
		text, err := json.Marshal(report)
		if err != nil || !json.Valid(text) {
			t.Fatalf("%s %v", text, err)
		}
		if report.Danger && !slices.ContainsFunc(report.Differences, func(part string) bool { return part == "scheme" || part == "host" || part == "port" }) {
			t.Errorf("%q is dangerous with differences in %v", url, report.Differences)
		}
		if (report.Differences == nil) != (report.Why == "") || report.Differences == nil && report.Confusion != "" {
			t.Errorf("%q: %v, %q, %q", url, report.Differences, report.Confusion, report.Why)
		}
		for _, a := range report.Results {
			for name, at := range a.Offsets {
				if part := *a.Part(name); !strings.EqualFold(lowerASCII(part), lowerASCII(url[at:at+len(part)])) {
					t.Errorf("%q: %s of %s is not at %d", url, name, a.Name, at)
				}
			}
			if differences := l.Differences(a.ParseResult, a.ParseResult); differences != nil {
				t.Errorf("%q differs from itself in %v", url, differences)
			}
			for _, b := range report.Results {
				if !slices.Equal(l.Differences(a.ParseResult, b.ParseResult), l.Differences(b.ParseResult, a.ParseResult)) {
					t.Errorf("%q: %s and %s", url, a.Name, b.Name)
				}
			}
		}
		l.Groups(report)
	})
}
