package all_test

import (
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

func TestSpans(t *testing.T) {
	r := registry(t)
	for _, row := range []struct{ url, want string }{
		{"gopher://h:70/7sel%09word%09+x", "scheme=gopher :// host=h : port=70 / gtype=7 selector=sel %09 search=word %09 gopher+_string=+x"},
		{"gopher://h/", "scheme=gopher :// host=h /"},
		{"gopher://h/%31x", "scheme=gopher :// host=h / gtype=%31 selector=x"},
		{"ftp://u:p@h/a/b;type=a", "scheme=ftp :// user=u : password=p @ host=h / fpath=a/b ;type= ftptype=a"},
		{"ftp://h/\xff\xff;TYPE=i", "scheme=ftp :// host=h / fpath=\xff\xff ;TYPE= ftptype=i"},
		{"ftp://h/a;type=i/b", "scheme=ftp :// host=h / fpath=a;type=i/b"},
		{"ftp://h/a;type=b;c", "scheme=ftp :// host=h / fpath=a;type=b;c"},
		{"http://h/a/b?c=d#e", "scheme=http :// host=h / hpath=a/b ? search=c=d # fragmentid=e"},
		{"http://h?c", "scheme=http :// host=h ? search=c"},
		{"wais://h/db?words", "scheme=wais :// host=h / database=db ? search=words"},
		{"wais://h/db/TEXT/1=a;2=b", "scheme=wais :// host=h / database=db / wtype=TEXT / wpath=1=a;2=b"},
		{"nntp://h/comp.x/12", "scheme=nntp :// host=h / group=comp.x / digits=12"},
		{"news:comp.x", "scheme=news : group=comp.x"},
		{"news:1@h", "scheme=news : article=1@h"},
		{"prospero://h/a/b;c=d;e=f", "scheme=prospero :// host=h / ppath=a/b ; fieldname=c = fieldvalue=d ; fieldname=e = fieldvalue=f"},
		{"mailto:a@b?subject=c", "scheme=mailto : encoded822addr=a@b ? hfields=subject=c"},
		{"mid:a@b", "scheme=mid : addr-spec=a@b"},
		{"telnet://guest@h:23/", "scheme=telnet :// user=guest @ host=h : port=23 /"},
		{"file:///etc/motd", "scheme=file :/// fpath=etc/motd"},
		{"x-new:anything", "scheme=x-new : urlpath=anything"},
	} {
		var got strings.Builder
		named := true
		for _, p := range r.Spans(locus.MustParse(row.url)) {
			if (named || p.Name != "") && got.Len() > 0 {
				got.WriteByte(' ')
			}
			if named = p.Name != ""; named {
				got.WriteString(p.Name + "=")
			}
			got.WriteString(p.Text)
		}
		if got.String() != row.want {
			t.Errorf("%s:\n  got  %s\n  want %s", row.url, got.String(), row.want)
		}
	}
}

// The spans of a URL must cover its whole text, and describing a URL must never panic.
func FuzzDescription(f *testing.F) {
	for _, seed := range []string{"gopher://h/7a%09b", "ftp://u:p@h/a;type=i", "wais://h/a/b/c", "prospero://h/a;b=c;d", "http://h?x#y", "news:*", "mailto:%40", "file:", "gopher://h/%", "ftp:\xb9\xa9;tYpE=i", "http://:@h:/", "nntp:a/b", "telnet://h#"} {
		f.Add(seed)
	}
	r := registry(f)
	f.Fuzz(func(t *testing.T, text string) {
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		at := 0
		for _, p := range r.Spans(u) {
			if p.Text == "" || p.Offset != at || text[at:at+len(p.Text)] != p.Text || (p.Name == "") != (p.Role == "") {
				t.Fatalf("%q: span %+v at %d", text, p, at)
			}
			at += len(p.Text)
		}
		if at != len(text) {
			t.Errorf("%q: the spans end at %d", text, at)
		}
		r.Title(u)
		r.Freshness(u)
		for _, p := range r.Parents(u) {
			if p.Name == "" || !p.URL.IsZero() && !strings.EqualFold(p.URL.Host(), u.Host()) {
				t.Errorf("%q: parent %+v", text, p)
			}
		}
	})
}

func TestTitlesAndParents(t *testing.T) {
	r := registry(t)
	for _, row := range []struct{ url, title, parents string }{
		{"http://h/a%20b/c.html?q", "c.html", "h=http://h/ a b=http://h/a%20b/"},
		{"http://u@h/", "", ""},
		{"http://h/c/", "c", "h=http://h/"},
		{"ftp://u@h/pub/x;type=a", "x", "h=ftp://u@h/ pub=ftp://u@h/pub/"},
		{"ftp://h//etc/x", "x", "h=ftp://h/ /=ftp://h// etc=ftp://h//etc/"},
		{"file:///etc/motd", "motd", "/=file:/// etc=file:///etc/"},
		{"gopher://h/0a/b", "b", "h=gopher://h/"},
		{"gopher://h/1", "", ""},
		{"gopher://h/2x", "x", ""},
		{"nntp://h/comp.x/12", "12", "h= comp.x=nntp://h/comp.x"},
		{"nntp://h/comp.x", "comp.x", "h="},
		{"news:a%2Fb@h", "a/b@h", ""},
		{"wais://h/db?two%20words", "two words in db", "h= db=wais://h/db"},
		{"wais://h/db/TEXT/1=x;", "db", "h= db=wais://h/db"},
		{"wais://h/db", "db", ""},
		{"telnet://h:23/", "h", ""},
		{"mailto:a@b", "a@b", ""},
		{"http://h/" + strings.Repeat("a/", 30), "a", ""},
	} {
		u := locus.MustParse(row.url)
		var parents []string
		for _, p := range r.Parents(u) {
			parents = append(parents, p.Name+"="+p.URL.String())
		}
		if got := strings.Join(parents, " "); r.Title(u) != row.title || got != row.parents {
			t.Errorf("%s: title %q, parents %q", row.url, r.Title(u), got)
		}
	}
}

func TestFreshness(t *testing.T) {
	const day = 24 * time.Hour
	r := registry(t)
	for text, want := range map[string]scheme.Freshness{
		"ftp://h": {For: 5 * time.Minute}, "ftp://h/pub/": {For: 5 * time.Minute}, "ftp://h/pub;TYPE=d": {For: 5 * time.Minute},
		"ftp://h/pub/;Type=a": {For: 5 * time.Minute}, "ftps://h/pub": {For: time.Hour, Dated: true, Fixed: true},
		"gopher://h": {For: 5 * time.Minute}, "gopher://h/%31/x": {For: 5 * time.Minute}, "gopher://h/%37/x": {For: time.Minute},
		"gophers://h/0a": {For: time.Hour, Dated: true}, "gopher://h/0a%09%09!": {For: 5 * time.Minute}, "gopher://h/1a%09word": {For: time.Minute},
		"gopher://h/0cgi?word": {For: time.Minute}, "gopher://h/2": {For: time.Minute}, "gopher://h/9a%09%09+application/zip": {For: time.Hour, Dated: true},
		"gopher://h/0a%09%09?": {}, "gopher://h/0a%09%09": {}, "gopher://h/0a%09%09+%091%0D%0A+-1%0D%0Ax%0D%0A.": {}, "gopher://h/8a": {}, "gopher://h/Ta": {},
		"news:a@b": {For: 7 * day, Fixed: true}, "snews://h/a@b": {For: 7 * day, Fixed: true}, "news:*": {For: time.Minute}, "news://h/comp.lang": {For: time.Minute},
		"nntp://h/comp.lang/7": {For: day, Fixed: true}, "nntp:comp.lang/7": {For: day, Fixed: true}, "nntps://h/comp.lang": {For: time.Minute},
		"wais://h/db": {For: time.Hour}, "wais://h/db?word": {For: time.Minute}, "wais://h/db/TEXT/1=2;": {For: day}, "prospero://h//a": {For: 5 * time.Minute},
		"file:///a": {}, "mid:a@b": {}, "cid:a@b": {}, "mailto:a@b": {}, "telnet://h/": {}, "x-any://h/": {}, "http://h/": {},
	} {
		if got := r.Freshness(locus.MustParse(text)); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestBelow(t *testing.T) {
	r := registry(t)
	for _, c := range []struct {
		start, u string
		want     bool
	}{
		{"http://h/a/index.html", "http://h/a/b", true}, {"http://h/a/index.html", "http://h/b", false},
		{"http://h/a", "http://h/a/b", true}, {"http://h/a", "http://h/ab", false}, {"http://h/?q", "http://h/x", true},
		{"ftp://h/pub/", "ftp://h/pub/x/", true}, {"ftp://h/pub/", "ftp://h/", false},
		{"gopher://h/1/a", "gopher://h/1/a/b", true}, {"gopher://h/", "gopher://h/1x", true}, {"gopher://h/", "gopher://h/0x", false},
		{"gopher://h/", "gopher://h/1x%09word", false}, {"gopher://h/1/a", "gopher://h/1/b", false},
	} {
		start, u := locus.MustParse(c.start), locus.MustParse(c.u)
		if got := r.Scheme(u).Crawl.Below(start, u); got != c.want {
			t.Errorf("%s below %s: %v", c.u, c.start, got)
		}
	}
}

func TestHierarchies(t *testing.T) {
	r := registry(t)
	for text, want := range map[string]relative.Hierarchy{
		"http://h/": relative.Path, "x-foo:a/b": relative.Path, "news:a": relative.Names, "snews:a": relative.Names,
		"mailto:a@b": relative.Opaque, "mid:a@b": relative.Opaque, "cid:a@b": relative.Opaque, "urn:a:b": relative.Opaque, "data:,x": relative.Opaque,
		"gopher://h/": relative.Data, "gophers://h/": relative.Data, "telnet://h/": relative.None, "rlogin://h/": relative.None, "tn3270://h/": relative.None,
	} {
		if got := r.Hierarchy(locus.MustParse(text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	base := locus.MustParse("telnet://h/")
	if _, _, err := r.Resolve(base, relative.MustParse("x"), relative.Options{}); err == nil {
		t.Error("a partial form was resolved against a telnet URL")
	}
}

// Each scheme must have the traits on which the policy and gateways depend.
func TestTraits(t *testing.T) {
	r := registry(t)
	for trait, want := range map[scheme.Traits]string{
		scheme.Interactive: "rlogin telnet tn3270", scheme.Composes: "mailto", scheme.Secure: "ftps gophers https nntps snews",
		scheme.Local: "cid file mailto mid", scheme.Files: "file", scheme.Contained: "cid", scheme.Web: "http https",
		scheme.Messages: "file mid news nntp nntps snews", scheme.News: "news nntp nntps snews",
		scheme.Fragments: "file ftp ftps gopher gophers http https", scheme.AcceptsTypes: "gopher gophers http https wais",
		scheme.Lines: "gopher gophers", scheme.Directories: "file ftp ftps", scheme.NoStatus: "gopher gophers",
		scheme.AcceptsLike: "wais", scheme.AcceptsItems: "news nntp nntps snews wais", scheme.MailAddress: "cid mailto mid",
	} {
		var got []string
		for _, s := range r.All() {
			if inTexts(s) && s.Traits.Has(trait) {
				got = append(got, s.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%b: %v, want %s", trait, got, want)
		}
	}
}
