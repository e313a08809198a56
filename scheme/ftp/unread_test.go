package ftp_test

import (
	"fmt"
	"iter"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// If a parser cannot read lines of LIST, the client must request the names with NLST.
func TestUnreadLines(t *testing.T) {
	files := ftptest.Files{"d/A.TXT;1": {}, "d/B.DIR;1": {}, "d/c": {}}
	const c = "-rw-r--r-- 1 a b 5 Jan  2 2020 c"
	vms := []string{"Directory DISK:[D]", "", "A.TXT;1   2/8   7-JAN-2000 10:30:13", "B.DIR;1", "  1/8  7-JAN-2000", "", "Total of 2 files"}
	odd := "-rw-r--r-- 1 a b 5 26. Juli, 20:10 A.TXT;1"
	var many []string
	for i := range 1<<16 + 1 {
		many = append(many, fmt.Sprintf("-rw-r--r-- 1 a b 5 Jan  2 2020 f%d", i))
	}
	for _, test := range []struct {
		name    string
		list    []string
		replies map[string]string
		mode    ftp.CWDMode
		want    []string // expected items at the end
		sent    string
	}{
		{"no line is read", vms, nil, 0, []string{"unknown /d/A.TXT%3B1", "unknown /d/B.DIR%3B1", "unknown /d/c"}, "CWD d|FEAT|EPSV|LIST|EPSV|NLST"},
		{"one line is not read", []string{odd, c}, nil, 0, []string{"object /d/c", "unknown /d/A.TXT%3B1", "unknown /d/B.DIR%3B1"}, "CWD d|FEAT|EPSV|LIST|EPSV|NLST"},
		{"each line is read", []string{c}, nil, 0, []string{"object /d/c"}, "CWD d|FEAT|EPSV|LIST"},
		{"the argument", []string{odd}, nil, ftp.CWDNone, []string{"unknown /d/A.TXT%3B1", "unknown /d/B.DIR%3B1", "unknown /d/c"}, "FEAT|EPSV|LIST d|EPSV|NLST d"},
		{"no NLST", []string{odd, c}, map[string]string{"NLST": "502 no\r\n"}, 0, []string{"object /d/c", "unknown "}, "CWD d|FEAT|EPSV|LIST|EPSV|NLST"},
		{"NLST names nothing new", []string{"a note", c,
			"-rw-r--r-- 1 a b 5 Jan  2 2020 A.TXT;1", "-rw-r--r-- 1 a b 5 Jan  2 2020 B.DIR;1"}, nil, 0,
			[]string{"object /d/c", "object /d/A.TXT%3B1", "object /d/B.DIR%3B1", "unknown "}, "CWD d|FEAT|EPSV|LIST|EPSV|NLST"},
		{"more names than are remembered", append(slices.Clone(many), odd), nil, 0, []string{"object /d/f65536", "unknown "}, "CWD d|FEAT|EPSV|LIST"},
		{"more text than is remembered", slices.Repeat([]string{strings.Repeat("x", 10_000)}, 110), nil, 0, []string{"unknown "}, "CWD d|FEAT|EPSV|LIST"},
	} {
		t.Run(test.name, func(t *testing.T) {
			so := &ftptest.Options{Unknown: []string{"MLSD"}, Fault: ftptest.Fault{Listings: lists(test.list...), Replies: test.replies}}
			so.Fault.Replies = map[string]string{"FEAT": "502 no\r\n"}
			for verb, reply := range test.replies {
				so.Fault.Replies[verb] = reply
			}
			w := start(t, files, so, &ftp.Options{CWD: test.mode})
			got, err := w.titles("", "/d/")
			if err != nil || len(got) < len(test.want) || !slices.Equal(got[len(got)-len(test.want):], test.want) {
				t.Errorf("%.300q, %v\nwant %q", got, err, test.want)
			}
			if sent := strings.Join(w.server.Log()[0][2:], "|"); sent != test.sent {
				t.Errorf("sent %q, want %q", sent, test.sent)
			}
			// The client must reuse the connection, because each transfer ended successfully.
			if _, err := w.titles("", "/d/;type=d"); err != nil && test.replies == nil || len(w.server.Log()) != 1 {
				t.Errorf("%v, %d connections", err, len(w.server.Log()))
			}
		})
	}
}

// If a loop over the items stops and another loop continues, they must yield each item once.
func TestUnreadLinesInPieces(t *testing.T) {
	files := ftptest.Files{"a": {}, "b": {}, "c": {}}
	made := ftptest.Fault{Listings: lists("odd a", "-rw-r--r-- 1 a b 5 Jan  2 2020 b", "odd c"), Replies: map[string]string{"FEAT": "502 no\r\n"}}
	w := start(t, files, &ftptest.Options{Fault: made}, nil)
	r, err := w.open("", "/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for range 5 {
		for it, err := range r.(*scheme.Menu).Items {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, it.Title)
			break
		}
	}
	if strings.Join(got, " ") != "b a c" {
		t.Errorf("%q", got)
	}
}

// If the connection ends during NLST, the menu must yield one error.
func TestUnreadLinesCut(t *testing.T) {
	w := start(t, ftptest.Files{"a": {}}, &ftptest.Options{Fault: ftptest.Fault{Listings: lists("odd a"), Replies: map[string]string{"FEAT": "502 no\r\n", "NLST": ""}}}, nil)
	r, err := w.open("", "/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	errs := 0
	for range 3 {
		for _, err := range r.(*scheme.Menu).Items {
			if err != nil {
				errs++
			}
		}
	}
	if errs > 1 {
		t.Errorf("%d errors", errs)
	}
}

func TestNoFiles(t *testing.T) {
	for _, c := range []struct {
		verb, reply, path string
		kind              error
	}{
		{"NLST", "450 No files found\r\n", "/d/;type=d", nil},
		{"NLST", "550 No files found.\r\n", "/d;type=d", nil},
		{"LIST", "450 No files found\r\n", "/d/", nil},
		{"NLST", "450 d: No such file or directory\r\n", "/d;type=d", scheme.ErrNotFound},
		{"NLST", "550 Have a taste on this!\r\n", "/d/;type=d", scheme.ErrNotFound},
	} {
		w := start(t, ftptest.Files{"d/x": {}}, &ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"FEAT": "502 no\r\n", c.verb: c.reply}}}, nil)
		got, err := w.titles("", c.path)
		if len(got) != 0 {
			t.Errorf("%s: %q", c.reply, got)
		}
		if c.kind != nil {
			w.wantError(err, c.kind)
		} else if err != nil {
			t.Errorf("%s: %v", c.reply, err)
		}
	}
}

func TestLongReply(t *testing.T) {
	so := &ftptest.Options{Greeting: "220-" + strings.Repeat("x", 100_000) + "\r\n220 ready\r\n"}
	files := ftptest.Files{"x": {Data: "x"}}
	start(t, files, so, nil).wantGet("", "/x", "x")
	w := start(t, files, so, &ftp.Options{MaxReply: 50_000})
	_, err := w.get("", "/x")
	w.wantError(err, scheme.ErrProtocol, "limit")
}

// Over IPv6, the client must use active mode if the server rejects EPSV (RFC 2428).
func TestIPv6(t *testing.T) {
	files := ftptest.Files{"x": {Data: "x"}, "y": {Data: "y"}}
	refused := func(replies ...string) (f ftptest.Fault) {
		f.Replies = map[string]string{}
		for _, r := range replies {
			verb, reply, _ := strings.Cut(r, " ")
			f.Replies[verb] = reply + "\r\n"
		}
		return f
	}
	for _, c := range []struct {
		name  string
		host  string
		fault ftptest.Fault
		dial  scheme.Dialer
		kind  error
		want  string
	}{
		{"EPSV", "::1", ftptest.Fault{}, new(dataDialer), nil, "EPSV EPSV"},
		{"522", "::1", refused("EPSV 522 Network protocol not supported, use (1)"), new(dataDialer), nil, "EPSV EPRT EPRT"},
		{"500", "::1", refused("EPSV 500 What?"), new(dataDialer), nil, "EPSV PASV PASV"},
		{"502 twice", "::1", refused("EPSV 502 no", "PASV 502 no"), new(dataDialer), nil, "EPSV PASV EPRT EPRT"},
		{"EPRT 522", "::1", refused("EPSV 522 no", "EPRT 522 no"), new(dataDialer), scheme.ErrUnsupported, "EPSV EPRT EPSV EPRT"},
		{"cannot listen", "::1", refused("EPSV 522 no"), new(dialer), scheme.ErrUnsupported, "EPSV EPSV"},
		{"IPv4, 500", "127.0.0.1", refused("EPSV 500 What?"), new(dataDialer), nil, "EPSV PASV PASV"},
		{"IPv4, 502", "127.0.0.1", refused("EPSV 502 no"), new(dataDialer), nil, "EPSV PASV PASV"},
		{"IPv4, 522", "127.0.0.1", refused("EPSV 522 no"), new(dataDialer), nil, "EPSV PASV PASV"},
		{"IPv4, neither", "127.0.0.1", refused("EPSV 500 no", "PASV 500 no"), new(dataDialer), scheme.ErrUnsupported, "EPSV PASV EPSV PASV"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := net.Listen("tcp", net.JoinHostPort(c.host, "0"))
			if err != nil {
				t.Fatal(err)
			}
			w := start(t, files, &ftptest.Options{Listener: l, LyingPASV: true, Fault: c.fault}, nil)
			w.dial = c.dial
			for _, name := range []string{"x", "y"} {
				if c.kind == nil {
					w.wantGet("", "/"+name, name)
					continue
				}
				_, err := w.get("", "/"+name)
				w.wantError(err, c.kind)
			}
			var got []string
			for _, text := range w.server.Log()[0] {
				if verb, argument, _ := strings.Cut(text, " "); verb == "EPSV" || verb == "PASV" || verb == "EPRT" {
					got = append(got, verb)
					if verb == "EPRT" && !strings.HasPrefix(argument, "|2|::1|") {
						t.Errorf("EPRT %s", argument)
					}
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestForeignNames checks that a menu of a directory with all names in FileZilla's test
// listings contains each name.
func TestForeignNames(t *testing.T) {
	b, err := os.ReadFile("testdata/foreign/filezilla-listings.txt")
	if err != nil {
		t.Fatal(err)
	}
	files := ftptest.Files{}
	var list []string
	for text := range strings.Lines(string(b)) {
		if f := strings.Split(text, " | "); f[0] == "LIST" {
			line, err1 := strconv.Unquote(f[1])
			name, err2 := strconv.Unquote(f[2])
			if err1 != nil || err2 != nil {
				t.Fatal(text, err1, err2)
			}
			list = append(list, line)
			files[name] = ftptest.File{}
		}
	}
	w := start(t, files, &ftptest.Options{Fault: ftptest.Fault{Listings: lists(list...), Replies: map[string]string{"FEAT": "502 no\r\n"}}}, nil)
	r, err := w.open("", "/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for it, err := range r.(*scheme.Menu).Items {
		if err != nil || it.URL.IsZero() {
			t.Fatal(it, err)
		}
		got = append(got, it.Title)
	}
	slices.Sort(got)
	if want := slices.Sorted(maps.Keys(files)); len(want) < 76 || !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// lists returns a value for Fault.Listings that replaces the lines of the reply to LIST.
func lists(lines ...string) map[string]iter.Seq[string] {
	return map[string]iter.Seq[string]{"LIST": slices.Values(lines)}
}
