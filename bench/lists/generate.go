package lists

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// productions is a grammar that generates URLs that conform to RFC 1738. The character "|"
// separates alternatives. A prefix such as "3*" sets the weight of an alternative. The characters
// "<" and ">" enclose the name of another production or one of these texts:
//
//	<a8>         1 to 8 letters
//	<t8>         1 to 8 letters, digits and "-_."
//	<1-99>       a number
//	<8/segment>  1 to 8 times <segment>, with "/" between them
var productions = map[string]string{
	"web":       "<webscheme>://<hostport>/<8/segment><ending><websearch><webfragment>",
	"webscheme": "http|2*https", "ending": "2*|.html|/", "websearch": "?<3&field>|2*", "field": "<a6>=<t12>", "webfragment": "#<a10>|9*",

	"ten":    "<ftp>|<http>|<gopher>|<mailto>|<news>|<nntp>|<telnet>|<wais>|<file>|<prospero>",
	"ftp":    "ftp://<login>/<8/segment><type>",
	"type":   "3*|;type=a|;type=i|;type=d",
	"http":   "http://<hostport>/<8/segment><search>",
	"search": "2*|?<a8>=<t8>",
	"gopher": "gopher://<hostport>/<gtype><selector><words>",
	"gtype":  "0|1|7|9|I", "selector": "|/<7/segment>", "words": "6*|%09<a8>|%09%09+",
	"mailto":  "3*mailto:<a10>@<host>|mailto:<a10>%25<a5>@<host>",
	"news":    "2*news:<group>|news:<t30>@<host>",
	"nntp":    "nntp://<hostport>/<group>|nntp://<hostport>/<group>/<1-99999>",
	"group":   "<newstop>.<a14>.<a10>|<newstop>.<a14>.<a10>.misc",
	"newstop": "comp|alt|sci|de",
	"telnet":  "telnet://<login><slash>",
	"wais":    "wais://<hostport>/<a10><query>", "query": "|?<a8>+<a8>|/TEXT/1%3D<a14>%3B2%3D<a14>%3B",
	"file":     "file://<filehost>/<9/segment>",
	"filehost": "|localhost|<host>",
	"prospero": "prospero://<hostport>/<slash><7/segment><pfield>", "pfield": "2*|;<a8>=<a8>", "slash": "|/",

	"login": "4*<hostport>|<user>@<hostport>", "user": "<a8>|<a8>:<t8>",
	"hostport": "7*<host>|<host>:<1-65535>",
	"host":     "19*<front><a14>.<middle><top>|<1-223>.<0-255>.<0-255>.<0-255>",
	"front":    "www.|ftp.|info.|gopher.|2*", "middle": "3*|<a8>.", "top": "com|org|edu|net|ch|de|ac.uk|example",
	"segment": "9*<t12>|<t12><escape><a4>", "escape": "%20|%7E|%5B|%C3%A9",
}

// Web returns n http: and https: URLs similar to URLs on the web. The URLs depend only on the
// seed.
func Web(seed uint64, n int) []string { return generate("web", seed, n) }

// Ten returns n URLs in random order. Their schemes are the ten schemes that RFC 1738 defines.
func Ten(seed uint64, n int) []string { return generate("ten", seed, n) }

func generate(name string, seed uint64, n int) []string {
	r := rand.New(rand.NewPCG(seed, 5))
	list := make([]string, n)
	for i := range list {
		list[i] = string(appendProduction(nil, r, name))
	}
	return list
}

func appendProduction(b []byte, r *rand.Rand, name string) []byte {
	var weighted []string
	for alternative := range strings.SplitSeq(productions[name], "|") {
		weight := 1
		if digits, rest, ok := strings.Cut(alternative, "*"); ok {
			weight, _ = strconv.Atoi(digits)
			alternative = rest
		}
		for range weight {
			weighted = append(weighted, alternative)
		}
	}
	for i, part := range strings.Split(weighted[r.IntN(len(weighted))], "<") {
		inside, after, ok := strings.Cut(part, ">")
		if i == 0 || !ok {
			b = append(b, part...)
			continue
		}
		b = append(appendPart(b, r, inside), after...)
	}
	return b
}

func appendPart(b []byte, r *rand.Rand, part string) []byte {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	rest := strings.TrimLeft(part, "0123456789")
	n, _ := strconv.Atoi(strings.TrimSuffix(part, rest))
	most, err := strconv.Atoi(rest[1:])
	switch {
	case err == nil && rest[0] == '-':
		b = strconv.AppendInt(b, int64(n+r.IntN(most-n+1)), 10)
	case err == nil:
		chars := map[byte]string{'a': letters, 't': letters + letters + "0123456789-_."}[rest[0]]
		for range 1 + r.IntN(most) {
			b = append(b, chars[r.IntN(len(chars))])
		}
	case n == 0:
		b = appendProduction(b, r, part)
	default:
		for i := range 1 + r.IntN(n) {
			if i > 0 {
				b = append(b, rest[0])
			}
			b = appendProduction(b, r, rest[1:])
		}
	}
	return b
}
