package warc_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/warc"
)

func TestKey(t *testing.T) {
	for uri, want := range map[string]string{
		"http://h.example/":                   "example,h)/",
		"gopher://H.example/0Some%20Selector": "gopher://H.example/0Some%20Selector",
		"urn:isbn:1":                          "urn:isbn:1",
		"http://h.example/a b\nc":             "example,h)/a%20b%0ac",
		"http://h.exa mple/":                  "http://h.exa%20mple/",
		"http://":                             "http://",
	} {
		if got := warc.Key(uri); got != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}

// A host that is too long for a DNS name is not encoded, because the time would be quadratic.
func TestKeyOfLongHost(t *testing.T) {
	host := strings.Repeat("ü", 20_000)
	if got, want := warc.Key("http://"+host+".example/"), "example,"+host+")/"; got != want {
		t.Errorf("the key has %d bytes, want %d", len(got), len(want))
	}
}

// TestKeyOfPywb compares keys with the keys that pywb computes.
func TestKeyOfPywb(t *testing.T) {
	text, err := os.ReadFile("testdata/keys.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		uri, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if got := warc.Key(uri); got != want {
			t.Errorf("Key(%q) = %q, want %q", uri, got, want)
		}
	}
}

func TestCDXJ(t *testing.T) {
	when := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	c := warc.CDXJ{Key: "example,h)/", Time: when, URL: "http://h.example/?a&b", Type: "text/html", Status: 200, Digest: "sha1:X", Length: 10, Offset: 20, File: "a.warc.gz"}
	const line = `example,h)/ 20240501120000 {"url":"http://h.example/?a&b","mime":"text/html","status":"200","digest":"sha1:X","length":"10","offset":"20","filename":"a.warc.gz"}` + "\n"
	if got := string(c.Append(nil)); got != line {
		t.Error(got)
	}
	for _, text := range []string{
		line,
		// The line is written as pywb and other programs write it.
		strings.NewReplacer(`"200"`, `200`, `"10"`, `10`, `"20"`, `20`).Replace(line),
		strings.Replace(line, "{", `{"languages":["en"],"encoding":"utf-8",`, 1),
		strings.TrimSpace(line) + "\r\n",
	} {
		if got, err := warc.ParseCDXJ(text); err != nil || got != c {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	empty, err := warc.ParseCDXJ(`k 20240501120000 {"url":"u","status":"-","length":"","offset":null,"filename":"f"}`)
	if want := (warc.CDXJ{Key: "k", Time: when, URL: "u", File: "f"}); err != nil || empty != want {
		t.Errorf("%+v %v", empty, err)
	}
	for _, text := range []string{
		"", "k", "k 20240501120000", "k 2024 {}", "k 20241301120000 {}", "k 20240501120000 {", `k 20240501120000 {"offset":"-1"}`, `k 20240501120000 {"offset":"99999999999999999999"}`,
		`k 20240501120000 {"status":1.5}`, `k 20240501120000 {"status":"2000"}`, " 20240501120000 {}", "!meta x y", `k 20240501120000 {"url":3}`,
	} {
		if got, err := warc.ParseCDXJ(text); !errors.Is(err, warc.ErrCDXJ) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	if a, b := c, c; a.Compare(b) != 0 {
		t.Error("a line differs from itself")
	}
	later := c
	later.Time = when.Add(time.Second)
	if c.Compare(later) >= 0 || later.Compare(c) <= 0 {
		t.Error("time does not order")
	}
}

func FuzzCDXJ(f *testing.F) {
	f.Add(`example,h)/ 20240501120000 {"url":"http://h.example/","status":"200","length":10,"offset":"20","filename":"a.warc.gz"}`)
	f.Add(`k 20240501120000 {"url":"u","status":"-","length":"","offset":null,"filename":"../f"}`)
	f.Add("k 2 {}")
	f.Fuzz(func(t *testing.T, line string) {
		c, err := warc.ParseCDXJ(line)
		if err != nil {
			if !errors.Is(err, warc.ErrCDXJ) {
				t.Error(err)
			}
			return
		}
		if c.Length < 0 || c.Offset < 0 || c.Status < 0 || c.Key == "" || c.Time.IsZero() && c.Time.Year() != 1 {
			t.Errorf("%+v", c)
		}
		text := string(c.Append(nil))
		if again, err := warc.ParseCDXJ(text); err != nil || again != c {
			t.Errorf("%+v is written as %s, which is %+v, %v", c, text, again, err)
		}
		if strings.Count(text, "\n") != 1 {
			t.Errorf("%q is more than a line", text)
		}
	})
}

func FuzzKey(f *testing.F) {
	f.Add("http://www.h.example:80/a?b&a")
	f.Add("gopher://h/1 x\n")
	f.Fuzz(func(t *testing.T, uri string) {
		if key := warc.Key(uri); strings.ContainsAny(key, " \n\r\t") {
			t.Errorf("%q has the key %q", uri, key)
		}
	})
}
