package verify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/locus-url/locus"
)

// Rules say which links are skipped, and which verdicts are accepted. nil and the zero
// Rules have no effect.
type Rules struct {
	// Ignore are patterns of URLs that are skipped. "*" in a pattern stands for any
	// characters, all else for itself.
	Ignore []string
	// Accept are outcomes that are not reported.
	Accept []Accept
}

// Accept describes links that are not reported.
type Accept struct {
	URL     string    // a pattern
	Status  []int     // one of these status codes; empty: any
	Verdict []Verdict // one of these verdicts; empty: any
	Reason  string    // for people
}

// ParseRules reads rules in TOML. An unknown key is an error.
func ParseRules(text string) (*Rules, error) {
	var file struct {
		Ignore []string `toml:"ignore"`
		Accept []struct {
			URL     string    `toml:"url"`
			Status  []int     `toml:"status"`
			Verdict []Verdict `toml:"verdict"`
			Reason  string    `toml:"reason"`
		} `toml:"accept"`
	}
	meta, err := toml.Decode(text, &file)
	if e := (toml.ParseError{}); errors.As(err, &e) {
		return nil, fmt.Errorf("line %d: %s", e.Position.Line, e.Message)
	} else if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s: unknown key; known are ignore, and in accept: url, status, verdict and reason", locus.Quote(unknown[0].String()))
	}
	r := &Rules{Ignore: file.Ignore}
	for i, a := range file.Accept {
		if a.URL == "" {
			return nil, fmt.Errorf(`accept number %d has no url: write url = "*" for all`, i+1)
		}
		r.Accept = append(r.Accept, Accept(a))
	}
	if slices.Contains(r.Ignore, "") {
		return nil, errors.New(`empty pattern in ignore: write "*" for all`)
	}
	return r, nil
}

// ignores returns the pattern that u matches.
func (r *Rules) ignores(u locus.URL) (pattern string, ok bool) {
	if r == nil {
		return "", false
	}
	text := u.String()
	for _, pattern := range r.Ignore {
		if matches(pattern, text) {
			return pattern, true
		}
	}
	return "", false
}

// accepts returns why an outcome of u is accepted.
func (r *Rules) accepts(u locus.URL, o *Outcome) (reason string, ok bool) {
	if r == nil {
		return "", false
	}
	text := u.String()
	for _, a := range r.Accept {
		if (len(a.Status) == 0 || slices.Contains(a.Status, o.Status)) &&
			(len(a.Verdict) == 0 || slices.Contains(a.Verdict, o.Verdict)) && matches(a.URL, text) {
			return a.Reason, true
		}
	}
	return "", false
}

// matches reports whether text matches a pattern, in time proportional to the product
// of their lengths at worst.
func matches(pattern, text string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	for {
		part, next, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(text, part)
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text, rest = text[at+len(part):], next
	}
}
