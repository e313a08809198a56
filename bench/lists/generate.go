package lists

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/locus-url/locus/escape"
)

// generator makes URLs that conform to RFC 1738. The same seed makes the same URLs.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 5))} }

func (g generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// chance returns true once in n calls, on average.
func (g generator) chance(n int) bool { return g.IntN(n) == 0 }

const (
	letters = "abcdefghijklmnopqrstuvwxyz"
	tokens  = letters + letters + "0123456789-_."
)

func (g generator) word(chars string, most int) string {
	b := make([]byte, 1+g.IntN(most))
	for i := range b {
		b[i] = chars[g.IntN(len(chars))]
	}
	return string(b)
}

func (g generator) host() string {
	if g.chance(20) {
		return fmt.Sprintf("%d.%d.%d.%d", 1+g.IntN(223), g.IntN(256), g.IntN(256), g.IntN(256))
	}
	host := g.pick("www.", "ftp.", "info.", "gopher.", "", "") + g.word(letters, 14) + "."
	if g.chance(4) {
		host += g.word(letters, 8) + "."
	}
	return host + g.pick("com", "org", "edu", "net", "ch", "de", "ac.uk", "example")
}

func (g generator) hostport() string {
	if g.chance(8) {
		return fmt.Sprintf("%s:%d", g.host(), 1+g.IntN(65535))
	}
	return g.host()
}

func (g generator) login() string {
	user := ""
	if g.chance(5) {
		user = g.word(letters, 8)
		if g.chance(2) {
			user += ":" + g.word(tokens, 8)
		}
		user += "@"
	}
	return user + g.hostport()
}

// path makes segments of names. One in ten has an escape.
func (g generator) path(most int) string {
	var b strings.Builder
	for i := range 1 + g.IntN(most) {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(g.word(tokens, 12))
		if g.chance(10) {
			b.WriteString(g.pick("%20", "%7E", "%5B", "%C3%A9") + g.word(letters, 4))
		}
	}
	return b.String()
}

// Web returns n http: and https: URLs as on the web of today.
func Web(seed uint64, n int) []string {
	g := newGenerator(seed)
	list := make([]string, n)
	for i := range list {
		text := g.pick("http", "https", "https") + "://" + g.hostport() + "/" + g.path(8) + g.pick("", "", ".html", "/")
		if g.chance(3) {
			text += "?"
			for j := range 1 + g.IntN(3) {
				if j > 0 {
					text += "&"
				}
				text += g.word(letters, 6) + "=" + g.word(tokens, 12)
			}
		}
		if g.chance(10) {
			text += "#" + g.word(letters, 10)
		}
		list[i] = text
	}
	return list
}

// Ten returns n URLs of the ten schemes of RFC 1738, in random order.
func Ten(seed uint64, n int) []string {
	g := newGenerator(seed)
	kinds := []func(generator) string{
		generator.ftp, generator.http, generator.gopher, generator.mailto, generator.news,
		generator.nntp, generator.telnet, generator.wais, generator.file, generator.prospero,
	}
	list := make([]string, n)
	for i := range list {
		list[i] = kinds[g.IntN(len(kinds))](g)
	}
	return list
}

func (g generator) ftp() string {
	return "ftp://" + g.login() + "/" + g.path(8) + g.pick("", "", "", ";type=a", ";type=i", ";type=d")
}

func (g generator) http() string {
	return "http://" + g.hostport() + "/" + g.path(8) + g.pick("", "", "?"+g.word(letters, 8)+"="+g.word(tokens, 8))
}

func (g generator) gopher() string {
	return "gopher://" + g.hostport() + "/" + g.pick("0", "1", "7", "9", "I") + g.pick("", "/"+g.path(7)) + g.pick("", "", "", "", "", "", "%09"+g.word(letters, 8), "%09%09+")
}

func (g generator) mailto() string {
	return "mailto:" + g.word(letters, 10) + g.pick("", "", "", "%25"+g.word(letters, 5)) + "@" + g.host()
}

func (g generator) group() string {
	return g.pick("comp", "alt", "sci", "de") + "." + g.word(letters, 14) + "." + g.word(letters, 10) + g.pick("", ".misc")
}

func (g generator) news() string {
	return "news:" + g.pick(g.group(), g.group(), g.word(tokens, 30)+"@"+g.host())
}

func (g generator) nntp() string {
	return "nntp://" + g.hostport() + "/" + g.group() + g.pick("", fmt.Sprintf("/%d", 1+g.IntN(99999)))
}

func (g generator) telnet() string { return "telnet://" + g.login() + g.pick("", "/") }

func (g generator) wais() string {
	database := g.word(letters, 10)
	return "wais://" + g.hostport() + "/" + g.pick(database, database+"?"+g.word(letters, 8)+"+"+g.word(letters, 8), database+"/TEXT/"+escape.Encode("1="+g.word(letters, 14)+";2="+g.word(letters, 14)+";", escape.Unreserved()))
}

func (g generator) file() string {
	return "file://" + g.pick("", "localhost", g.host()) + "/" + g.path(9)
}

func (g generator) prospero() string {
	return "prospero://" + g.hostport() + "/" + g.pick("", "/") + g.path(7) + g.pick("", "", ";"+g.word(letters, 8)+"="+g.word(letters, 8))
}
