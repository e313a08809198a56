package lens

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Entry is a URL that parsers are known to read differently.
type Entry struct {
	// URL may contain any octets.
	URL string
	// Class is the kind of trick. [Classes] lists the classes.
	Class string
	// Source names a published description of the trick, such as an advisory, a paper or a
	// section of a standard.
	Source string
	// Note describes the trick.
	Note string
}

// Corpus returns the URLs that are known to confuse parsers, from advisories, papers,
// standards and test suites. Their hosts are names and addresses for documentation, or
// loopback addresses.
func Corpus() []Entry { return slices.Clone(corpus()) }

//go:embed corpus.tsv
var corpusText string

var corpus = sync.OnceValue(func() []Entry {
	list, err := parseCorpus(corpusText)
	if err != nil {
		panic(err) // the embedded file is valid, because a test parses this file
	}
	return list
})

// Classes returns the classes of the corpus.
func Classes() []string {
	return []string{
		"scheme", "nested", "slashes", "backslash", "userinfo", "host", "percent", "ipv4", "ipv6", "unicode",
		"control", "port", "path", "dots", "fragment", "file",
	}
}

// maxEntry is the maximum length of an entry's URL in octets.
const maxEntry = 4 << 10

// parseCorpus reads one entry per line. An entry has four fields, separated by tabs: the class, the
// source, the URL as a Go string of US-ASCII, and a description. Lines that begin with "#" are
// comments.
func parseCorpus(text string) ([]Entry, error) {
	var list []Entry
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		entry, err := parseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("corpus line %d: %w", number, err)
		}
		list = append(list, entry)
	}
	return list, nil
}

func parseEntry(line string) (Entry, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 4 {
		return Entry{}, fmt.Errorf("%d fields instead of 4: class, source, URL, description", len(fields))
	}
	if !isASCII(line) {
		return Entry{}, fmt.Errorf(`a character outside US-ASCII: write \u and its number`)
	}
	url, err := strconv.Unquote(fields[2])
	if err != nil || fields[2][0] != '"' {
		return Entry{}, fmt.Errorf(`the URL is not a Go string: write it in quotation marks`)
	}
	e := Entry{URL: url, Class: fields[0], Source: fields[1], Note: fields[3]}
	switch {
	case len(url) > maxEntry:
		return Entry{}, fmt.Errorf("the URL has %d bytes; at most %d are allowed", len(url), maxEntry)
	case !slices.Contains(Classes(), e.Class):
		return Entry{}, fmt.Errorf("unknown class %q: choose one of %s", e.Class, strings.Join(Classes(), ", "))
	case e.Source == "":
		return Entry{}, fmt.Errorf("no source")
	case !strings.HasSuffix(e.Note, "."):
		return Entry{}, fmt.Errorf("no description that ends in a full stop")
	}
	return e, nil
}

// format writes e in the format of parseEntry.
func (e Entry) format() string {
	return strings.Join([]string{e.Class, e.Source, strconv.QuoteToASCII(e.URL), e.Note}, "\t")
}
