package lens

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostParser returns a parser that uses the function host to find the host of a URL.
func hostParser(name string, host func(url string) (string, bool)) Parser {
	return funcParser{name, "1", KindParser, func(url string) ParseResult {
		h, ok := host(url)
		scheme := "http"
		return ParseResult{OK: ok, Scheme: &scheme, Host: &h}
	}}
}

// firstAt ends the login at the first "@", and lastAt at the last.
func firstAt(url string) (string, bool) {
	_, rest, ok := strings.Cut(url, "//")
	rest, _, _ = strings.Cut(rest, "/")
	if _, after, found := strings.Cut(rest, "@"); found {
		rest, _, _ = strings.Cut(after, "@")
	}
	return rest, ok
}

func lastAt(url string) (string, bool) {
	_, rest, ok := strings.Cut(url, "//")
	rest, _, _ = strings.Cut(rest, "/")
	return rest[strings.LastIndexByte(rest, '@')+1:], ok
}

func search(t *testing.T, filter, fetch Parser, o GuardOptions) GuardResult {
	t.Helper()
	result, err := newLens(t).Guard(context.Background(), filter, fetch, &o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func corpusURLs() (urls []string) {
	for _, e := range Corpus() {
		urls = append(urls, e.URL)
	}
	return urls
}

func TestGuardFindsAHostConfusion(t *testing.T) {
	for _, from := range [][]string{nil, corpusURLs(), {"http://u@a.example/"}} {
		result := search(t, hostParser("first", firstAt), hostParser("last", lastAt), GuardOptions{From: from})
		if len(result.Findings) == 0 {
			t.Fatalf("nothing found from %d URLs after %d tries", len(from), result.Tries)
		}
		for _, f := range result.Findings {
			a, _ := firstAt(f.URL)
			b, _ := lastAt(f.URL)
			if a == b || f.Differs != ContactHost || !f.Report.Danger || f.Report.Why == "" || f.Report.Input != f.URL || f.Report.Results[0].Version != "1" {
				t.Errorf("%+v", f)
			}
		}
	}
}

// Removing any character of a finding must lose the difference.
func TestGuardFindingsAreMinimal(t *testing.T) {
	result := search(t, hostParser("first", firstAt), hostParser("last", lastAt), GuardOptions{})
	for _, f := range result.Findings {
		named := func(url string) bool {
			a, aOK := firstAt(url)
			b, bOK := lastAt(url)
			return aOK && bOK && a != b && (a == "" || b == "") == strings.Contains(f.Report.Why, "no host")
		}
		if !named(f.URL) {
			t.Errorf("%q shows nothing", f.URL)
		}
		for i, r := range f.URL {
			if shorter := f.URL[:i] + f.URL[i+utf8.RuneLen(r):]; named(shorter) {
				t.Errorf("%q is enough instead of %q", shorter, f.URL)
			}
		}
	}
}

// The same seed must give the same findings, and another seed must try other URLs.
func TestGuardIsDeterministic(t *testing.T) {
	run := func(seed uint64) (urls []string) {
		for _, f := range search(t, hostParser("first", firstAt), hostParser("last", lastAt), GuardOptions{Seed: seed}).Findings {
			urls = append(urls, f.Found)
		}
		return urls
	}
	if a, b := run(1), run(1); !slices.Equal(a, b) || len(a) == 0 {
		t.Errorf("%q and %q", a, b)
	}
	if a, b := run(1), run(2); slices.Equal(a, b) {
		t.Errorf("%q for both seeds", a)
	}
}

func TestGuardFindsNothing(t *testing.T) {
	result := search(t, hostParser("a", lastAt), hostParser("b", lastAt), GuardOptions{MaxTries: 3000})
	if len(result.Findings) != 0 || result.Tries != 3000 || result.Accepted == 0 || result.Accepted > result.Tries {
		t.Errorf("%+v", result)
	}
}

// Parsers of this process that are known to differ: a browser skips characters that Go preserves.
func TestGuardFindsWHATWGAndNetURL(t *testing.T) {
	var whatwg, netURL Parser
	for _, r := range newLens(t).Parsers() {
		switch r.Name() {
		case "whatwg":
			whatwg = r
		case "net/url":
			netURL = r
		}
	}
	result := search(t, netURL, whatwg, GuardOptions{MaxFindings: 5})
	if !slices.ContainsFunc(result.Findings, func(f Finding) bool { return f.Differs == ContactHost }) {
		t.Errorf("no host confusion after %d tries", result.Tries)
	}
}

// Only the target matters: other parts may differ.
func TestGuardPorts(t *testing.T) {
	port := func(name, byDefault string) Parser {
		return funcParser{name, "1", KindParser, func(url string) ParseResult {
			host, ok := lastAt(url)
			scheme, port := "http", byDefault
			if h, p, found := strings.Cut(host, ":"); found {
				host, port = h, p
			}
			return ParseResult{OK: ok, Scheme: &scheme, Host: &host, Port: &port, Path: &url}
		}}
	}
	if result := search(t, port("a", ""), port("b", "80"), GuardOptions{MaxTries: 2000}); len(result.Findings) != 0 {
		t.Errorf("the default port differs: %+v", result.Findings[0])
	}
	result := search(t, port("a", ""), port("b", "81"), GuardOptions{MaxTries: 2000})
	if len(result.Findings) == 0 || result.Findings[0].Differs != ContactPort {
		t.Errorf("%+v", result)
	}
}

// A cancelled search must return its findings so far.
func TestGuardEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := GuardOptions{MaxTries: 1 << 30, MaxFindings: 1 << 30, Progress: func(_, findings int) {
		if findings > 0 {
			cancel()
		}
	}}
	result, err := newLens(t).Guard(ctx, hostParser("first", firstAt), hostParser("last", lastAt), &o)
	if !errors.Is(err, context.Canceled) || len(result.Findings) == 0 {
		t.Errorf("%d findings, %v", len(result.Findings), err)
	}
}

// fragileParser is a parser that fails for the whole batch if a URL contains "%".
type fragileParser struct{ Parser }

func (f fragileParser) Parse(ctx context.Context, urls []string) ([]ParseResult, error) {
	if slices.ContainsFunc(urls, func(url string) bool { return strings.Contains(url, "%") }) {
		return nil, errors.New("crashed")
	}
	return f.Parser.Parse(ctx, urls)
}

// shortParser is a parser that omits a result.
type shortParser struct{ Parser }

func (s shortParser) Parse(ctx context.Context, urls []string) ([]ParseResult, error) {
	list, err := s.Parser.Parse(ctx, urls)
	return list[:len(list)-1], err
}

// brokenParser is a parser that never returns a result.
type brokenParser struct{ Parser }

func (brokenParser) Parse(context.Context, []string) ([]ParseResult, error) {
	return nil, errors.New("no such program")
}

func TestGuardWithBrokenReaders(t *testing.T) {
	first, last := hostParser("first", firstAt), hostParser("last", lastAt)
	result := search(t, first, fragileParser{last}, GuardOptions{})
	if len(result.Findings) == 0 {
		t.Error("a reader that crashes for some URLs hides all others")
	}
	for _, f := range result.Findings {
		if strings.Contains(f.URL, "%") {
			t.Errorf("%q crashed the reader", f.URL)
		}
	}
	for _, r := range []Parser{brokenParser{last}, shortParser{last}} {
		if _, err := newLens(t).Guard(context.Background(), first, r, nil); err == nil || !strings.Contains(err.Error(), "last") {
			t.Errorf("%T: %v", r, err)
		}
	}
}

func TestMinimize(t *testing.T) {
	for _, row := range []struct{ url, needs, want string }{
		{"http://user:pw@a.example:80/x/y?z#f", "@a", "@a"},
		{"http://\u00fc\u3002test/\u00e9", "\u3002", "\u3002"},
		{"a\xffb\xfe", "\xff", "\xff"},
		{"abc", "", ""},
		{"", "", ""},
		{"x", "x", "x"},
	} {
		keep := func(urls []string) ([]bool, error) {
			kept := make([]bool, len(urls))
			for i, url := range urls {
				kept[i] = strings.Contains(url, row.needs)
			}
			return kept, nil
		}
		if got, err := minimize(row.url, keep); got != row.want || err != nil {
			t.Errorf("%q: %q, %v, want %q", row.url, got, err, row.want)
		}
	}
	failure := errors.New("stopped")
	calls := 0
	got, err := minimize("http://a.example/", func(urls []string) ([]bool, error) {
		if calls++; calls > 1 {
			return nil, failure
		}
		return append(make([]bool, len(urls)-1), true), nil
	})
	if err != failure || got != "http://a." {
		t.Errorf("%q, %v", got, err)
	}
}

// A mutator must stay within its limit, whatever its input.
func FuzzMutate(f *testing.F) {
	for i, e := range Corpus()[:40] {
		f.Add(uint64(i), e.URL, Corpus()[i+40].URL)
	}
	f.Add(uint64(0), "", "")
	f.Add(uint64(0), strings.Repeat("\xff", 2*maxMutant), strings.Repeat("\u3002", maxMutant))
	f.Fuzz(func(t *testing.T, seed uint64, url, other string) {
		m, same := newMutator(seed), newMutator(seed)
		for range 20 {
			next := m.mutate(url, other)
			if again := same.mutate(url, other); again != next {
				t.Fatalf("%q and %q for one seed", next, again)
			}
			if len(next) > maxMutant {
				t.Fatalf("%d octets", len(next))
			}
			url = next
		}
	})
}

// minimize must end, and must remove every unnecessary character.
func FuzzMinimize(f *testing.F) {
	for _, e := range Corpus()[:40] {
		f.Add(e.URL, byte('/'), byte(2))
	}
	f.Fuzz(func(t *testing.T, url string, octet, count byte) {
		url = truncate(url)
		shows := func(url string) bool { return strings.Count(url, string([]byte{octet})) >= int(count) }
		if !shows(url) {
			return
		}
		tried := 0
		small, err := minimize(url, func(urls []string) ([]bool, error) {
			kept := make([]bool, len(urls))
			for i, u := range urls {
				kept[i] = shows(u)
			}
			tried += len(urls)
			return kept, nil
		})
		if err != nil || !shows(small) || len(small) > len(url) {
			t.Fatalf("%q becomes %q, %v", url, small, err)
		}
		if n := len(url) + 1; tried > 4*n*n {
			t.Errorf("%d tries for %d octets", tried, len(url))
		}
		parts := splitUnits(small)
		for i := range parts {
			if shorter := strings.Join(slices.Concat(parts[:i], parts[i+1:]), ""); shows(shorter) {
				t.Errorf("%q is enough instead of %q", shorter, small)
			}
		}
	})
}

// An octet that is not UTF-8 must not be read as a character of Latin 1.
func TestOctetIsNoOtherHost(t *testing.T) {
	octet, name := "\xef", "xn--gda"
	if newLens(t).SameTarget(ParseResult{OK: true, Host: &octet}, ParseResult{OK: true, Host: &name}) {
		t.Error("an octet is a name in another charset")
	}
}

// If a parser adds an empty port to the host, the target must be the same as without a port.
func TestEmptyPortIsNoOtherHost(t *testing.T) {
	l := newLens(t)
	reading := func(host string) ParseResult { return ParseResult{OK: true, Host: &host} }
	if !l.SameTarget(reading("a.example"), reading("a.example:")) || !l.SameTarget(reading("[::1]"), reading("[::1]:")) {
		t.Error("a host with the colon of an empty port is another one")
	}
	if l.SameTarget(reading("a.example"), reading("a.example:80")) {
		t.Error("a host with a port is the same")
	}
	if got := l.Differences(reading("a.example"), reading("a.example:")); !slices.Equal(got, []string{"host"}) {
		t.Errorf("the difference is not shown: %q", got)
	}
}
