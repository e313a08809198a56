package lens

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// atOnce is the number of parsers that run at the same time.
const atOnce = 4

// Lens runs parsers on URLs and compares their results. A Lens may be used concurrently.
type Lens struct {
	registry *scheme.Registry
	readers  []Parser
}

// New returns a lens with the given parsers. The registry r provides the schemes' default
// ports.
func New(r *scheme.Registry, readers ...Parser) *Lens {
	return &Lens{r, slices.Clone(readers)}
}

// Parsers returns the parsers, in the order of a report.
func (l *Lens) Parsers() []Parser { return slices.Clone(l.readers) }

// Result is the result of one parser for one URL.
type Result struct {
	Name, Version string
	Kind          Kind
	ParseResult
	// Failure is the reason why the parser returned no result, such as an error or a timeout.
	Failure string
	// Offsets holds the byte offset of each part whose text the URL contains.
	Offsets map[string]int
}

// Report holds the results of all parsers of a Lens for one URL, and their differences. The
// JSON of a Report contains no password.
type Report struct {
	// Input is the URL as the caller passed it, including its password.
	Input   string
	Results []Result
	// Differences lists the parts in which parsers that accept the URL differ, in the order
	// of PartNames.
	Differences []string
	// Confusion is the cause of the differences. Confusion is empty if no parsers differ, or
	// if the cause is unknown.
	Confusion Confusion
	// Danger reports whether two parsers accept the URL but would contact a different scheme,
	// host or port. A filter that uses one of these parsers does not protect a program that
	// uses the other parser. A parser that finds no host causes no danger if the schemes are
	// equal, because the program then contacts no host.
	Danger bool
	// Why explains the differences and the danger. Why contains no password, and is empty if
	// there are no differences.
	Why string
}

// Compare returns a report for each URL, in order. If a parser fails, the parser's result in
// every report contains a Failure, and the other results do not change. Compare returns an
// error only if ctx ends.
func (l *Lens) Compare(ctx context.Context, urls []string) ([]Report, error) {
	reports := make([]Report, len(urls))
	for i, url := range urls {
		reports[i] = Report{Input: url, Results: make([]Result, len(l.readers))}
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for n, reader := range l.readers {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			for i, answer := range runParser(ctx, reader, urls) {
				answer.Offsets = partOffsets(urls[i], answer.ParseResult)
				reports[i].Results[n] = answer
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range reports {
		l.compareAll(&reports[i])
	}
	return reports, nil
}

// runParser runs one parser and returns its result for each URL.
func runParser(ctx context.Context, reader Parser, urls []string) []Result {
	answers := make([]Result, len(urls))
	list, err := reader.Parse(ctx, urls)
	var version string
	if err == nil {
		version, err = reader.Version(ctx) // programs report their version together with the results
	}
	if err == nil && len(list) != len(urls) {
		err = fmt.Errorf("%d results for %d URLs", len(list), len(urls))
	}
	for i := range answers {
		answers[i] = Result{Name: reader.Name(), Kind: reader.Kind(), Version: version}
		if err != nil {
			answers[i].Failure = err.Error()
			continue
		}
		answers[i].ParseResult = rejectRelative(urls[i], list[i])
	}
	return answers
}

// rejectRelative returns a rejection if url is a relative reference and r has neither scheme nor
// host. Otherwise rejectRelative returns r. "local_file:/etc/passwd" does not count as relative,
// although "_" is invalid in a scheme (RFC 3986 section 4.2), because some programs read any
// text before the first ":" as a scheme.
func rejectRelative(url string, r ParseResult) ParseResult {
	relative := strings.IndexByte(url, ':') < 1 || strings.IndexByte(url, ':') != strings.IndexAny(url, ":/?#")
	if r.OK && relative && value(r.Scheme) == "" && value(r.Host) == "" && !slices.Contains(r.Unseen, "host") {
		r.OK, r.Error = false, "a relative reference: neither scheme nor host"
	}
	return r
}

// compareAll sets the differences of a report.
func (l *Lens) compareAll(r *Report) {
	var accepted []meaning
	for i := range r.Results {
		if r.Results[i].OK {
			m := l.meaning(r.Results[i].ParseResult)
			m.nested = isNested(r.Input, r.Results[i].ParseResult)
			accepted = append(accepted, m)
		}
	}
	differs := make(map[string]bool)
	var apart []int // the two accepted results with different targets that show the difference best
	telling := -1
	hostless := l.hostlessScheme(r.Input)
	if slices.ContainsFunc(accepted, func(m meaning) bool { return m.nested }) {
		hostless = ""
	}
	for i, a := range accepted {
		for j, b := range accepted[i+1:] {
			for _, part := range a.differences(b) {
				differs[part] = true
			}
			if n := a.dangerRank() + b.dangerRank(); hostless == "" && n > telling && !a.sameTarget(b) {
				apart, telling = []int{i, i + 1 + j}, n
			}
		}
	}
	r.Danger = apart != nil
	for _, part := range PartNames() {
		if differs[part] {
			r.Differences = append(r.Differences, part)
		}
	}
	if r.Differences != nil {
		r.Confusion = confusion(r.Input, r.Differences, accepted)
		r.Why = l.explain(r, apart, hostless)
	}
}

// hostlessScheme returns the scheme of url if the scheme is known and its URLs need no host, such
// as mailto. For every other URL, hostlessScheme returns "". A parser such as curl may guess a
// host in a mailto URL. That is harmless, because a filter can check the scheme. A parser that
// contacts the host of a nested URL is not harmless.
func (l *Lens) hostlessScheme(url string) string {
	u, err := locus.Parse(url)
	if err != nil || u.Facts().Has(locus.Internet) || !l.registry.Known(u) && scheme.NameStatus(u.Scheme()) == "" {
		return ""
	}
	if _, err := l.registry.Fields(u); err != nil {
		return ""
	}
	return u.Scheme()
}

// isNested reports whether the host in r comes from a URL within url, as in "jar:http://h/x!/y".
func isNested(url string, r ParseResult) bool {
	outer, rest, _ := strings.Cut(url, ":")
	inner, _, found := strings.Cut(rest, ":")
	return found && value(r.Host) != "" && !strings.EqualFold(inner, outer) && strings.EqualFold(inner, value(r.Scheme))
}

// Differences returns the names of the parts in which a and b differ, in the order of
// PartNames. Two parts are equal if they have the same meaning. Two hosts are equal if a
// program would dial the same host. A missing port equals the default port of the scheme. Two
// texts are equal if they differ only in escapes that any program may add or remove.
// Differences ignores the field OK.
func (l *Lens) Differences(a, b ParseResult) []string {
	return l.meaning(a).differences(l.meaning(b))
}

// SameTarget reports whether programs with the results a and b would contact the same host and
// port with the same scheme. If the schemes are equal and one result has no host, SameTarget
// returns true, because that program contacts no host.
func (l *Lens) SameTarget(a, b ParseResult) bool {
	return l.meaning(a).sameTarget(l.meaning(b))
}
