package bench

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme/all"
)

// ordinary contains typical URLs of each scheme. They conform to RFC 3986 and to the current
// standard for the scheme.
var ordinary = map[string][]string{
	"cid":      {"cid:foo4.25foo1@bar.example.net"},
	"file":     {"file:///etc/fstab", "file://localhost/usr/share/doc/readme.txt"},
	"finger":   {"finger://host.example.com/user"},
	"ftp":      {"ftp://ftp.example.com/pub/readme.txt;type=i", "ftp://user@ftp.example.com/pub/a%20b"},
	"gemini":   {"gemini://geminiprotocol.example/docs/"},
	"gopher":   {"gopher://gopher.example.com/11/about", "gopher://gopher.example.com/7find%09word"},
	"http":     {"http://www.example.com/a/b.html", "http://www.example.com/?q=a%20b&page=2#top"},
	"https":    {"https://www.example.com/a/b.html", "https://www.example.com/?q=a%20b&page=2#top"},
	"mailto":   {"mailto:chris@example.com", "mailto:chris@example.com?subject=hello&cc=bob@example.com", "mailto:infobot@example.com?body=send%20current-issue"},
	"mid":      {"mid:960830.1639@XIson.com", "mid:960830.1639@XIson.com/partA.960830.1639@XIson.com"},
	"news":     {"news:comp.infosystems.www.misc", "news:b8p9a.42@example.com", "news://news.example.com/comp.lang.c"},
	"nntp":     {"nntp://news.example.com/comp.lang.c/12345", "nntp://news.example.com/comp.lang.c"},
	"prospero": {"prospero://host.example.com/pros/name"},
	"tel":      {"tel:+1-201-555-0123", "tel:7042;phone-context=example.com", "tel:+441632960123;ext=22"},
	"telnet":   {"telnet://melvyl.example.edu/", "telnet://user@host.example.com:2323/"},
	"urn":      {"urn:isbn:0451450523", "urn:ietf:rfc:2648", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
	"wais":     {"wais://wais.example.com/db?word"},
}

// Checking typical URLs by RFC 3986 and the current standard for the scheme does not allocate
// memory.
func TestCurrentAllocs(t *testing.T) {
	r := Must(all.Registry())
	for name, list := range ordinary {
		for _, text := range list {
			if found := r.CheckURI(rfc3986.Parse(text)); !locus.Conforms(found) {
				t.Errorf("%s: %v", text, found)
			}
			if n := testing.AllocsPerRun(3, func() { r.CheckURI(rfc3986.Parse(text)) }); n != 0 {
				t.Errorf("%s %s: %v allocations", name, text, n)
			}
		}
	}
}

// BenchmarkCurrent compares, for each scheme, the speed of checks by RFC 1738, RFC 3986 and the
// current standard. The times include parsing.
func BenchmarkCurrent(b *testing.B) {
	r := Must(all.Registry())
	for _, s := range r.All() {
		for _, text := range ordinary[s.Name] {
			b.Run(text+"/rfc1738", func(b *testing.B) {
				for b.Loop() {
					if u, err := locus.Parse(text); err == nil {
						r.Check(u, locus.RFC1738)
					}
				}
			})
			b.Run(text+"/rfc3986", func(b *testing.B) {
				for b.Loop() {
					r.CheckURI(rfc3986.Parse(text))
				}
			})
		}
	}
}
