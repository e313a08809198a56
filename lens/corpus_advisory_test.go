package lens

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func names(list []Advisory) (names []string) {
	for _, a := range list {
		names = append(names, a.Name)
	}
	return names
}

func lookAt(t testing.TB, l *Lens, url string) *Report {
	t.Helper()
	reports, err := l.Compare(context.Background(), []string{url})
	if err != nil {
		t.Fatal(err)
	}
	return &reports[0]
}

// A URL must be recognized by its pattern, not by its text.
func TestAdvisoriesAreRecognized(t *testing.T) {
	l := newLens(t)
	for _, row := range []struct{ url, want string }{
		{"https://files.example%2Fdownload.test:8080/x", "CVE-2022-27780"},
		{"http://user@one.example#@two.test/?q", "CVE-2016-8624"},
		{"https://one.example:8443#@two.test/", "CVE-2016-10397"},
		{"https://one.example\uff0ftwo.test/x", "CVE-2019-9636"},
		{"\x0b\x0chttps://two.test/", "CVE-2023-24329"},
		{"https://two.test/a\tb", "CVE-2022-0391"},
		{"http://[one.example]:80/", "CVE-2024-11168"},
		{"http://[one.example]:80/", "CVE-2025-47912"},
		{"http://one.example[2001:db8::1]/", "CVE-2025-0938"},
		{"http://one.example:8x/", "CVE-2019-14809"},
		{"ldap://192.0.2.1#two.test:389/x", "CVE-2021-45046"},
		{`https://one.example\@two.test/x`, "CVE-2016-2512"},
		{`HTTPS:\\two.test/x`, "CVE-2014-3730"},
		{"ftp:/two.test/x", "CVE-2021-3664"},
		{"https:///two.test/x", "CVE-2020-11008"},
		{"http:3221225985", "CVE-2017-7233"},
		{"http://u[x@two.test/", "CVE-2024-22243"},
		{"http://0300.0.2.1/", "CVE-2021-29923"},
		{"http://0xc0.0.2.1/", "CVE-2023-42282"},
		{"http://3221225985/", "CVE-2024-29415"},
		{"http://one\u3002example/", "CVE-2022-43551"},
		{"http://ma\u00df.example/", "CVE-2016-8625"},
		{"http://one.example/x/.%2E/y", "CVE-2021-41773"},
	} {
		if got := names(lookAt(t, l, row.url).Advisories()); !slices.Contains(got, row.want) {
			t.Errorf("%q: %q, want %s", row.url, got, row.want)
		}
	}
	a := lookAt(t, l, "http://one.example%2Ftwo.test/").Advisories()
	if want := "CVE-2022-27780 (curl: an escaped slash in the host)"; len(a) != 1 || a[0].String() != want {
		t.Errorf("%v, want %s", a, want)
	}
}

// If all parsers agree, there must be no advisory, whatever the URL looks like.
func TestAdvisoriesNeedADifference(t *testing.T) {
	url := "http://one.example%2Ftwo.test/"
	alike := func(name string) Parser {
		return funcParser{name, "1", KindParser, func(string) ParseResult { return ParseResult{OK: true, Host: &url} }}
	}
	r := lookAt(t, New(newLens(t).registry, alike("a"), alike("b")), url)
	if list := r.Advisories(); list != nil {
		t.Errorf("%v", list)
	}
	if list := advisoriesFor(url); len(list) == 0 {
		t.Error("the URL is not recognized at all")
	}
}

func TestOrdinaryURLsResembleNoAdvisory(t *testing.T) {
	for _, url := range []string{
		"http://www.example/", "https://user:pw@www.example:8443/a/b.html?c=d&e=f#g", "ftp://ftp.example/pub/x;type=a",
		"http://[2001:db8::1]:8080/", "http://192.0.2.1:80/", "mailto:a@b.example", "http://a.example/%20x?y=http://b.test/@z",
		"https://a.example/~user/", "news:comp.infosystems.www.misc", "http://example/@scope/name", "gopher://a.example/00/x%09y",
	} {
		if list := advisoriesFor(url); list != nil {
			t.Errorf("%s: %v", url, list)
		}
	}
}

// Every advisory that the corpus names and the table contains must be recognized in its entries.
func TestAdvisoriesOfTheCorpus(t *testing.T) {
	recognized := map[string]bool{}
	for _, e := range Corpus() {
		got := names(advisoriesFor(e.URL))
		for _, name := range got {
			recognized[name] = true
		}
		cve, _, _ := strings.Cut(e.Source, " ")
		known := slices.ContainsFunc(advisories(), func(row advisoryRow) bool { return row.Name == cve })
		if known && !slices.Contains(got, cve) {
			t.Errorf("%q: %q without %s", e.URL, got, cve)
		}
	}
	for _, row := range advisories() {
		if !recognized[row.Name] {
			t.Errorf("no entry of the corpus resembles %s", row.Name)
		}
	}
}

func TestAdvisoryLineIsRefused(t *testing.T) {
	for _, row := range []struct{ line, want string }{
		{"CVE-1\tcurl\tx\turl", "4 fields instead of 5"},
		{"CVE-1\tcurl\tx\tpath\ty", `"path" instead of`},
		{"CVE-1\tcurl\tx\turl\t(", "missing closing"},
	} {
		_, err := parseAdvisories("# comment\n" + row.line + "\n")
		if err == nil || !strings.Contains(err.Error(), row.want) || !strings.HasPrefix(err.Error(), "advisory line 2: ") {
			t.Errorf("%q: %v, want %q", row.line, err, row.want)
		}
	}
}

func FuzzAdvisories(f *testing.F) {
	for _, e := range Corpus()[:40] {
		f.Add(e.URL)
	}
	f.Fuzz(func(t *testing.T, url string) {
		for name, part := range roughParts(url) {
			if !strings.Contains(url, part) {
				t.Errorf("%s %q is not in %q", name, part, url)
			}
		}
		advisoriesFor(url)
	})
}
