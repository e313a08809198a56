package ftp

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
)

func FuzzURL(f *testing.F) {
	invariants.Fuzz(f, seeds, func(t *testing.T, u locus.URL) {
		x, _ := Parse(u)
		for m := CWDMulti; m <= CWDNone; m++ {
			plan, err := x.plan(m)
			if (err == nil) == slices.ContainsFunc(check(u, locus.RFC1738), func(v locus.Violation) bool { return v.Rule == "value" }) {
				t.Errorf("%q: planned with %v, and found %v", u, err, check(u, locus.RFC1738))
			}
			if err != nil {
				var e *locus.SyntaxError
				if !errors.As(err, &e) || e.Offset >= u.Len() || len(plan.commands()) > 1 {
					t.Errorf("%q: %q, %v", u, plan.commands(), err)
				}
				continue
			}
			for _, command := range plan.commands() {
				if strings.ContainsAny(command, "\r\n\x00") {
					t.Errorf("%q: sends %q", u, command)
				}
			}
			if m == CWDMulti && !slices.Equal(plan.cwd, x.CWD()) {
				t.Errorf("%q: %q, want %q", u, plan.cwd, x.CWD())
			}
		}
	})
}

func FuzzParts(f *testing.F) {
	f.Add("h", "u", "p", "etc", "", "motd", byte('a'), uint16(21))
	f.Add("h.dom", "", "", "/etc", "..", "x;type=d", byte(0), uint16(0))
	f.Add("1.2.3.4", "a@b", "\xff", "", "?", "", byte('d'), uint16(65535))
	f.Fuzz(func(t *testing.T, host, user, password, cwd1, cwd2, name string, typecode byte, port uint16) {
		p := Parts{Host: host, Port: port, User: &user, Password: &password, CWD: []string{cwd1, cwd2}, Name: name, Typecode: typecode}
		u, err := p.URL()
		if !bnftest.Made(t, p, err) {
			return
		}
		gotUser, _ := u.User()
		gotPassword, _ := u.Password()
		if gotUser != user || gotPassword != password || !slices.Equal(u.CWD(), p.CWD) || u.Name() != name || u.Typecode() != typecode && u.Typecode() != typecode|0x20 {
			t.Errorf("%+v: %s", p, u.URL())
		}
	})
}

// seedFiles adds the recordings whose names match the pattern as seeds.
func seedFiles(f *testing.F, pattern string) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
}

// slowReplies is a simple reference implementation of readReply.
func slowReplies(input string) (list []reply) {
	lines := strings.Split(input, "\n")
	lines = lines[:len(lines)-1] // a line must have a line ending
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	for len(lines) > 0 {
		code, more, ok := replyCode([]byte(lines[0]))
		if !ok {
			return list
		}
		end := 0
		if more {
			end = slices.IndexFunc(lines[1:], func(s string) bool { return s == lines[0][:3] || strings.HasPrefix(s, lines[0][:3]+" ") }) + 1
			if end == 0 {
				return list
			}
		}
		list = append(list, reply{code, lines[:end+1]})
		lines = lines[end+1:]
	}
	return list
}

func FuzzReply(f *testing.F) {
	seedFiles(f, "testdata/*.s2c.bin")
	f.Add([]byte("220-a\r\n220\r\n2200\r\n229 (|||1|)\r\n227 1,2,3,4,5,6\n213 19941220123456\r\n211-x\r\n MLST\r\n211 \r\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) > 8<<10 {
			input = input[:8<<10] // below each limit of the parsers
		}
		want := slowReplies(string(input))
		for _, in := range []io.Reader{bytes.NewReader(input), iotest.HalfReader(bytes.NewReader(input))} {
			got, err := replies(in)
			if err == nil || !errors.Is(err, scheme.ErrProtocol) {
				t.Fatalf("%q ends with %v", input, err)
			}
			if !slices.EqualFunc(got, want, func(a, b reply) bool { return a.code == b.code && slices.Equal(a.lines, b.lines) }) {
				t.Fatalf("%q:\n got %+v\nwant %+v", input, got, want)
			}
			for _, r := range got {
				if port, ok := passivePort(r); ok != (port != 0) {
					t.Errorf("%+v: port %d, %v", r, port, ok)
				}
				if sizeReply(r) < -1 || strings.ContainsAny(refusal("CWD x", r).Error(), "\r\n\x1b") {
					t.Errorf("%+v", r)
				}
				timeReply(r)
				offersMLSD(r)
			}
		}
	})
}

func FuzzListing(f *testing.F) {
	seedFiles(f, "testdata/proftpd-mlsd-nlst.data*.bin")
	seedFiles(f, "testdata/pureftpd-curl-anon-list.data1.bin")
	f.Add([]byte("total 1\n-rw-r--r-- 1 a b 5 Jan 2 2020 ../x\nlrwxrwxrwx 1 a b 5 Jan 2 2020 a -> b\n10-23-12 05:03PM <DIR> sub\n+i1,m824255907,/,\t514\n"))
	for _, file := range []string{"filezilla-listings.txt", "jlaffaye-listings.txt"} {
		for _, l := range foreignLines(f, "testdata/foreign/"+file) {
			f.Add([]byte(l.text + "\r\n"))
		}
	}
	base := newLinker(mustParse(f, "ftp://u:p@h/a/b/"))
	f.Fuzz(func(t *testing.T, input []byte) {
		// Short inputs test the same code as long inputs, and run much faster.
		input = input[:min(len(input), 512)]
		l := newListing(bytes.NewReader(input))
		octets := 0
		for {
			text, err := l.next()
			if err != nil {
				if err != io.EOF && !errors.Is(err, scheme.ErrProtocol) {
					t.Fatal(err)
				}
				return
			}
			if octets += len(text); octets > len(input) {
				t.Fatalf("%d octets of lines out of %d", octets, len(input))
			}
			for _, parse := range []func() (scheme.Item, bool){
				func() (scheme.Item, bool) { return parseMLSD(text) },
				func() (scheme.Item, bool) { return parseLIST(text, now) },
				func() (scheme.Item, bool) { return parseNLST(text, "dir") },
			} {
				e, ok := parse()
				if !ok {
					continue
				}
				if e.Size < -1 || e.Title == "." || e.Title == ".." || !strings.Contains(text, e.Title) {
					t.Errorf("%q: %+v", text, e)
				}
				leadsInside(t, base.item(e, text))
			}
		}
	})
}

// leadsInside checks that the item's URL identifies one entry in the directory.
func leadsInside(t *testing.T, it scheme.Item) {
	t.Helper()
	if it.URL.IsZero() {
		return
	}
	u, err := Parse(it.URL)
	if err != nil {
		t.Fatal(err)
	}
	cwd, name := u.CWD(), u.Name()
	if it.Kind == scheme.KindMenu {
		name, cwd = cwd[len(cwd)-1], cwd[:len(cwd)-1]
	}
	if !slices.Equal(cwd, []string{"a", "b"}) || name != it.Title || climbs(name) || u.Typecode() != 0 || !locus.Conforms(check(it.URL, locus.RFC1738)) {
		t.Errorf("%+v: %q %q %v", it, cwd, name, check(it.URL, locus.RFC1738))
	}
	if _, err := u.plan(CWDMulti); err != nil {
		t.Errorf("%+v: %v", it, err)
	}
}
