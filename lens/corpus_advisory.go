package lens

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Advisory is a published weakness of a parser that a URL with a certain pattern revealed.
type Advisory struct {
	Name    string `json:"name"`    // "CVE-2022-27780"
	Product string `json:"product"` // "curl"
	Pattern string `json:"pattern"` // description such as "an escaped slash in the host"
}

// String returns a text such as "CVE-2022-27780 (curl: an escaped slash in the host)".
func (a Advisory) String() string { return fmt.Sprintf("%s (%s: %s)", a.Name, a.Product, a.Pattern) }

// Advisories returns the published weaknesses whose pattern matches the URL of the report. If all
// parsers in the report accept the URL and agree on its meaning, Advisories returns nil. The result
// does not depend on the parsers' versions.
func (r *Report) Advisories() []Advisory {
	refused := slices.ContainsFunc(r.Results, func(a Result) bool { return !a.OK && a.Failure == "" })
	if len(r.Differences) == 0 && !refused {
		return nil
	}
	return advisoriesFor(r.Input)
}

//go:embed corpus_advisories.tsv
var advisoryText string

type advisoryRow struct {
	Advisory
	in string // the part of a URL to which pattern applies
	*regexp.Regexp
}

var advisories = sync.OnceValue(func() []advisoryRow {
	list, err := parseAdvisories(advisoryText)
	if err != nil {
		panic(err) // the embedded file is valid, because a test parses this file
	}
	return list
})

func parseAdvisories(text string) ([]advisoryRow, error) {
	var list []advisoryRow
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("advisory line %d: %d fields instead of 5", number, len(f))
		}
		if !slices.Contains([]string{"url", "authority", "userinfo", "host"}, f[3]) {
			return nil, fmt.Errorf(`advisory line %d: %q instead of "url", "authority", "userinfo" or "host"`, number, f[3])
		}
		pattern, err := regexp.Compile(f[4])
		if err != nil {
			return nil, fmt.Errorf("advisory line %d: %w", number, err)
		}
		list = append(list, advisoryRow{Advisory{f[0], f[1], f[2]}, f[3], pattern})
	}
	return list, nil
}

func advisoriesFor(url string) (list []Advisory) {
	parts := roughParts(url)
	for _, row := range advisories() {
		text, ok := parts[row.in]
		if ok && row.MatchString(text) {
			list = append(list, row.Advisory)
		}
	}
	return list
}

// roughParts splits url for the patterns, not as a parser does. roughParts ends each part at
// the first character at which any parser might end the part.
func roughParts(url string) map[string]string {
	parts := map[string]string{"url": url}
	_, rest, ok := strings.Cut(url, ":")
	if !ok || rest == "" || rest[0] != '/' && rest[0] != '\\' {
		return parts
	}
	authority := strings.TrimLeft(rest, `/\`)
	if end := strings.IndexAny(authority, `/\?#`); end >= 0 {
		authority = authority[:end]
	}
	parts["authority"] = authority
	host := authority
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		parts["userinfo"], host = authority[:at], authority[at+1:]
	}
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		host = host[:colon]
	}
	parts["host"] = host
	return parts
}
