package cache

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A parsed lifetime never exceeds the result of a simple parser, and parsing never fails.
func FuzzDirectives(f *testing.F) {
	for _, text := range []string{"", "max-age=10", "no-store, private=\"a, b\"", "max-age=\"5\", max-age=3", ",,=,\"", "max-stale", "s-maxage = 9 ;x", "a=\"\\\"no-store\"", "max-age=99999999999999999999", "min-fresh=x, stale-if-error=1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := parseDirectives([]string{text})
		for name, at := range d {
			if at < 0 || at > forever || !isDirective[name] {
				t.Errorf("%q: %s %v", text, name, at)
			}
		}
		if !strings.ContainsAny(text, "\"=") { // without quotes and values, commas separate the directives
			want := false
			for part := range strings.SplitSeq(text, ",") {
				want = want || strings.EqualFold(strings.Trim(part, " \t"), "no-store")
			}
			if d.has("no-store") != want {
				t.Errorf("%q: no-store is %v", text, d.has("no-store"))
			}
		}
		// An additional line can only make the result stricter.
		e := parseDirectives([]string{text, "no-store, max-age=0"})
		if !e.has("no-store") && !strings.Contains(text, "\"") || e["max-age"] > 0 {
			t.Errorf("%q: %+v", text, e)
		}
	})
}

// Ranges lie within the response, don't overlap, and cover the requested bytes.
func FuzzRange(f *testing.F) {
	for _, text := range []string{"bytes=0-", "bytes=1-2,4-5", "bytes=-3", "bytes=9-1", "bytes=,,1-1,", "items=1-2", "bytes=0-0,1-1,0-4", "bytes= 1-2 , 3-", "bytes=99999999999999999999-"} {
		f.Add(text, int64(10))
	}
	f.Fuzz(func(t *testing.T, text string, size int64) {
		if size < 0 {
			return
		}
		list, ok := parseRange(text, size)
		if !ok && len(list) > 0 || len(list) > maxRanges {
			t.Fatalf("%q: %v, %v", text, list, ok)
		}
		for i, a := range list {
			if a.start < 0 || a.start >= a.end || a.end > size {
				t.Errorf("%q of %d: %v", text, size, list)
			}
			for _, b := range list[i+1:] {
				if a.start <= b.end && b.start <= a.end {
					t.Errorf("%q of %d: %v overlap", text, size, list)
				}
			}
		}
		if !ok || size > 1000 {
			return
		}
		// The simple implementation works byte by byte.
		_, set, _ := strings.Cut(text, "=")
		for at := range size {
			want := false
			for part := range strings.SplitSeq(set, ",") {
				first, last, _ := strings.Cut(strings.Trim(part, " \t"), "-")
				from, err := strconv.ParseInt(first, 10, 64)
				to, toErr := strconv.ParseInt(last, 10, 64)
				switch {
				case first == "" && last == "":
				case first == "":
					want = want || toErr != nil || at >= size-to
				case err == nil:
					want = want || at >= from && (last == "" || toErr != nil || at <= to)
				}
			}
			got := false
			for _, s := range list {
				got = got || at >= s.start && at < s.end
			}
			if got != want {
				t.Errorf("%q of %d: octet %d is %v, want %v: %v", text, size, at, got, want, list)
			}
		}
	})
}

// parseRecord reverses newRecord, and reports anything else as damaged.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(nil), "http://h/a", "Name", "value", int64(5))
	f.Add(newRecord(&meta{url: "x", received: time.Unix(1, 2)}, 3), "gopher://h/", "\xff", "\x00", int64(0))
	f.Fuzz(func(t *testing.T, octets []byte, url, name, value string, n int64) {
		if m, _, err := parseRecord(octets); (m == nil) == (err == nil) {
			t.Fatalf("%v, %v", m, err)
		}
		if n < 0 {
			return
		}
		m := &meta{url: url, status: 200, header: http.Header{name: {value, "2"}}, vary: []varyField{{name, value}}, lifetime: time.Duration(n), age: time.Duration(n), received: time.Unix(0, n), size: n, isHTTP: n%2 == 0}
		record := newRecord(m, uint64(n))
		got, sum, err := parseRecord(record)
		if err != nil || got.url != url || got.status != 200 || len(got.header[name]) != 2 || got.header[name][0] != value || got.vary[0] != m.vary[0] ||
			got.lifetime != m.lifetime || got.age != m.age || !got.received.Equal(m.received) || got.size != n || got.isHTTP != m.isHTTP || sum != uint64(n) {
			t.Fatalf("%+v, %v", got, err)
		}
		if len(octets) > 0 {
			at := int(octets[0]) % len(record)
			record[at] ^= octets[0] | 1
			if _, _, err := parseRecord(record); err == nil {
				t.Errorf("a change at %d is not noticed", at)
			}
		}
	})
}

// matches finds a tag exactly if the list contains it.
func FuzzMatches(f *testing.F) {
	f.Add(`"a", W/"b"`, "a")
	f.Add(`*`, "x")
	f.Add(`"a`, "")
	f.Fuzz(func(t *testing.T, list, tag string) {
		matches(list, tag)
		if strings.ContainsAny(tag, `"`) {
			return
		}
		quoted := `"` + tag + `"`
		if !matches(`W/"other", `+quoted+`, `+list, quoted) || !matches(quoted, "W/"+quoted) {
			t.Errorf("%q is not found", quoted)
		}
	})
}
