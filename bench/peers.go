// Package bench compares the speed of package locus with the speed of other parsers, on the same
// lists and in the same run. It is a separate module, so that the library does not depend on these
// parsers.
//
// RESULTS.md contains the commands and their results.
package bench

import (
	"bufio"
	"io"
	"net/url"

	"github.com/PuerkitoBio/purell"
	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
)

// Peer is a function to measure. Its method Run applies the function to every URL in a list. The
// result depends on each URL, so that the compiler can't remove the work.
type Peer struct {
	Name string
	Run  func(list []string) int
}

// Base is the name of the peer with which all other peers are compared.
const Base = "net/url"

// Readers returns the peers that parse a URL. The first peer is Base.
func Readers(r *scheme.Registry) []Peer {
	parser := whatwg.NewParser()
	return []Peer{
		{Base, func(list []string) (n int) {
			for _, s := range list {
				if u, err := url.Parse(s); err == nil {
					n += len(u.Host)
				}
			}
			return n
		}},
		{"locus.Parse", func(list []string) (n int) {
			for _, s := range list {
				if u, err := locus.Parse(s); err == nil {
					n += u.Len()
				}
			}
			return n
		}},
		{"locus verdict", func(list []string) (n int) { return Verdicts(r, list) }},
		{"rfc3986.Parse", func(list []string) (n int) {
			for _, s := range list {
				u := rfc3986.Parse(s)
				n += len(u.String())
			}
			return n
		}},
		{"whatwg-url", func(list []string) (n int) {
			for _, s := range list {
				if u, err := parser.Parse(s); err == nil {
					n += len(u.Hostname())
				}
			}
			return n
		}},
	}
}

// Verdicts parses and checks every URL in the list. It returns the number of URLs that conform to
// the standard.
func Verdicts(r *scheme.Registry, list []string) (n int) {
	for _, s := range list {
		if u, err := locus.Parse(s); err == nil && locus.Conforms(r.Check(u, locus.RFC1738)) {
			n++
		}
	}
	return n
}

// Split divides list into the URLs in canonical form and all other URLs.
func Split(r *scheme.Registry, list []string) (canonical, others []string) {
	for _, s := range list {
		u, _, err := r.Canonical(Must(locus.Parse(s)))
		if err == nil && u.String() == s {
			canonical = append(canonical, s)
		} else {
			others = append(others, s)
		}
	}
	return canonical, others
}

// Writers returns the peers that return the canonical text of a URL. The first peer is Base, which
// only joins the parsed parts.
func Writers(r *scheme.Registry) []Peer {
	return []Peer{
		{Base, func(list []string) (n int) {
			for _, s := range list {
				if u, err := url.Parse(s); err == nil {
					n += len(u.String())
				}
			}
			return n
		}},
		{"locus canonical", func(list []string) (n int) {
			for _, s := range list {
				if u, err := locus.Parse(s); err == nil {
					u, _, _ = r.Canonical(u)
					n += u.Len()
				}
			}
			return n
		}},
		{"purell", func(list []string) (n int) {
			const flags = purell.FlagsSafe | purell.FlagRemoveDotSegments | purell.FlagRemoveFragment
			for _, s := range list {
				if text, err := purell.NormalizeURLString(s, flags); err == nil {
					n += len(text)
				}
			}
			return n
		}},
	}
}

// Canonical copies its input to its output, and replaces each line by the canonical form of the
// URL. If a line has no canonical form, Canonical does not change the line. It returns the number
// of lines.
func Canonical(r *scheme.Registry, in io.Reader, out io.Writer) (n int, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<16), 1<<20)
	w := bufio.NewWriterSize(out, 1<<16)
	for lines.Scan() {
		n++
		line := lines.Text()
		if u, err := locus.Parse(line); err == nil {
			if u, _, err = r.Canonical(u); err == nil {
				line = u.String()
			}
		}
		w.WriteString(line)
		w.WriteByte('\n')
	}
	if err := lines.Err(); err != nil {
		return n, err
	}
	return n, w.Flush()
}
