package octet

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// scanned matches the texts that Scan promises to read. The rest of the text is graphic US-ASCII.
var scanned = regexp.MustCompile(`\A([a-z0-9.-]{2,31}):(?://([a-z0-9.-]*)(:[1-9][0-9]{0,4})?(/|#|\z))?`)

// offsets holds the offsets of the parts of a text, 0 for absent ones, as slowScan and Scan find
// them.
type offsets struct{ colon, port, slash, hash, question int }

// slowScan returns the offsets of Scan. ok reports whether Scan promises to find them.
func slowScan(text string) (o offsets, ok bool) {
	m := scanned.FindStringSubmatchIndex(text)
	if m == nil || len(text) > 1<<16 {
		return o, false
	}
	o.colon = m[3]
	if m[4] < 0 && strings.HasPrefix(text[o.colon:], "://") {
		return o, false
	}
	if m[4] >= 0 {
		end := m[5]
		if m[6] >= 0 {
			o.port, end = m[6], m[7]
			if num, _ := strconv.Atoi(text[o.port+1 : end]); num > 65535 || end < 8 {
				return o, false
			}
		}
		if end > 62 {
			return o, false
		}
		if end < len(text) && text[end] == '/' {
			o.slash = end
		}
	}
	before := len(text)
	if i := strings.IndexByte(text, '#'); i >= 0 {
		o.hash, before = i, i
	}
	if i := strings.IndexByte(text[:before], '?'); i >= 0 {
		o.question = i
	}
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7F || c == '%' && !IsEscape(text, i) {
			return o, false
		}
	}
	return o, true
}

func checkScan(t *testing.T, text string) {
	t.Helper()
	got, found := scan(text)
	want, ok := slowScan(text)
	if !found && ok && hasAVX2 {
		// Scan does not read a short text at the end of a page. In this buffer, the text is
		// not at the end of a page.
		room := make([]byte, len(text)+96)
		for _, i := range []int{0, 48} {
			copy(room[i:], text)
			if o, has := scan(View(room[i : i+len(text)])); has {
				got, found = o, true
			}
		}
	}
	if found != (ok && hasAVX2) || found && got != want {
		t.Fatalf("Scan(%q) finds %+v, %v; want %+v, %v", text, got, found, want, ok)
	}
}

// scan calls Scan and unpacks the offsets. ok reports whether Scan found any.
func scan(text string) (o offsets, ok bool) {
	ends, rest, found := Scan(text)
	at := func(word uint64, n int) int { return int(uint16(word >> (16 * n))) }
	return offsets{at(ends, 0), at(ends, 3), at(rest, 0), at(rest, 1), at(found, 0)}, ends != 0
}

// scanSeeds are texts that Scan reads, and similar texts.
var scanSeeds = []string{
	"", "a", "ab:", "a:b", "http:", "http:/", "http://", "http:///", "http://h", "http://h/", "http://h:80", "http://h:80/", "http://h:080/", "http://h:/", "http://h:65535/x", "http://h:65536/x",
	"http://h:123456/", "ab://:1", "ab://h:1", "ab://:12", "HTTP://h/", "http://H/", "x+y:z", "http://h?q", "http://h#f", "http://h/a?b#c?d", "mailto:a@b", "urn:a:b#c", "x-1.2:y", "://h", "ab:c#d#e",
	"http://u@h/", "http://h/%", "http://h/%4", "http://h/%41", "http://h/%4g", "http://h/#%", "http://h/%00%1f%7F%7f%7e#%00", "http://h/~|", "http://h/#~", "http://h/\x7f", "http://h/\xff", "http://h/ ", "http://1.2.3.4/", "http://a-.b/", "http://a..b/",
	"http://www.example.com/" + strings.Repeat("a", 300) + "?b;c#d%20", "ab://h/" + strings.Repeat("%41", 100) + "#%41" + strings.Repeat("x", 100), "http://" + strings.Repeat("h", 55) + "/", "http://" + strings.Repeat("h", 56) + "/", "http://" + strings.Repeat("h", 80) + "/",
}

// Each text is tested with every prefix, after prefixes of other lengths, and with every
// significant octet at every offset.
func TestScan(t *testing.T) {
	for _, text := range scanSeeds {
		for n := range min(len(text), 200) + 1 {
			checkScan(t, text[:n])
			checkScan(t, text[:n]+"#%41?;")
		}
		b := []byte(text)
		for i, before := range b {
			for _, c := range []byte("a0-.:/?#%;@~A \x80") {
				b[i] = c
				checkScan(t, string(b))
			}
			b[i] = before
		}
	}
	long := "http://h/" + strings.Repeat("a", 1<<16)
	for _, n := range []int{1<<16 - 1, 1 << 16, 1<<16 + 1} {
		checkScan(t, long[:n])
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkScan(t, text) })
}
