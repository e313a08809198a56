package verify

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/locus-url/locus"
)

// Baseline is a list of links that are known to be broken. Listed links do not count as bad.
type Baseline struct{ known map[string]bool }

const baselineHead = "# Links that are known to be bad, one per line: a URL, or a document and the text of the link.\n"

const maxBaseline = locus.MaxLen

// ParseBaseline parses a baseline: one [Result.Key] per line. ParseBaseline ignores empty lines
// and lines that begin with "# ".
func ParseBaseline(text string) (*Baseline, error) {
	b := &Baseline{known: map[string]bool{}}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "", line == "#", strings.HasPrefix(line, "# "):
			continue
		case len(line) > maxBaseline:
			return nil, fmt.Errorf("line %d: %w: %d bytes", number, locus.ErrTooLong, len(line))
		}
		b.known[line] = true
	}
	return b, nil
}

// WriteBaseline writes a baseline to w. Each element of links is a value of [Result.Key].
// WriteBaseline sorts the links and removes duplicates.
func WriteBaseline(w io.Writer, links []string) error {
	list := slices.Clone(links)
	slices.Sort(list)
	var b strings.Builder
	b.WriteString(baselineHead)
	for _, link := range slices.Compact(list) {
		if link != "" && !strings.ContainsAny(link, "\r\n") {
			b.WriteString(link + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (b *Baseline) has(link string) bool { return b != nil && b.known[link] }

// Links returns the links in the baseline in sorted order.
func (b *Baseline) Links() []string { return slices.Sorted(maps.Keys(b.known)) }
