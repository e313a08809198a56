package lens

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// GuardOptions limit a search. The zero value starts from the corpus and tries 20000 URLs.
type GuardOptions struct {
	// Seed selects the URLs to try. The same seed tries the same URLs.
	Seed uint64
	// From is a list of URLs that the search modifies. If From is empty, the search generates
	// all URLs.
	From []string
	// MaxTries is the maximum number of URLs to try. Zero means 20000.
	MaxTries int
	// MaxFindings is the number of findings after which a search ends. Zero means 20.
	MaxFindings int
	// Progress, if not nil, is called after each batch, in the goroutine that called Guard.
	Progress func(tries, findings int)
}

const (
	defaultTries    = 20000
	defaultFindings = 20
	guardBatch      = 200     // URLs that a parser receives at once
	perKind         = 3       // maximum number of findings of one kind to minimize
	population      = 400     // maximum number of accepted URLs to modify further
	remembered      = 1 << 17 // maximum number of tried URLs to remember
)

// Contact is a part of a URL that decides which server is contacted.
type Contact string

const (
	ContactHost   Contact = "host"
	ContactPort   Contact = "port"
	ContactScheme Contact = "scheme"
)

// Finding is a URL that two parsers accept and read as different targets.
type Finding struct {
	// URL is minimal, unless the search ended early. If any character is removed from a
	// minimal URL, the parsers no longer differ.
	URL string
	// Found is the original URL, before the search minimized it.
	Found string
	// Differs is the first part that differs, in the order host, port, scheme.
	Differs Contact
	// Report holds the results of the two parsers: first the result of the filter parser, then
	// the result of the fetch parser.
	Report Report
}

// GuardResult is the outcome of a search.
type GuardResult struct {
	Tries    int // URLs that the parsers read, including those tried to minimize a finding
	Accepted int // tried URLs that both parsers accept
	Findings []Finding
}

// Guard searches for URLs that both parsers accept, but read as different targets. A URL that
// Guard finds passes a check that uses the filter parser, but a client that uses the fetch
// parser contacts another server. If ctx ends, Guard returns the findings so far with the
// error of ctx. Any other error means that a parser cannot run.
func (l *Lens) Guard(ctx context.Context, filter, fetch Parser, o *GuardOptions) (GuardResult, error) {
	if o == nil {
		o = &GuardOptions{}
	}
	g := &guard{
		lens: New(l.registry, filter, fetch), pair: [2]Parser{filter, fetch}, o: *o,
		mutator: newMutator(o.Seed), tried: map[string]bool{}, kinds: map[string]int{}, shapes: map[string]bool{},
	}
	if g.o.MaxTries == 0 {
		g.o.MaxTries = defaultTries
	}
	if g.o.MaxFindings == 0 {
		g.o.MaxFindings = defaultFindings
	}
	err := g.run(ctx)
	return g.result, err
}

type guard struct {
	lens     *Lens
	pair     [2]Parser
	versions [2]string
	o        GuardOptions
	mutator  mutator
	accepted []string // URLs that both parsers accept
	tried    map[string]bool
	kinds    map[string]int // findings that were minimized, by kind
	shapes   map[string]bool
	result   GuardResult
	starting int // URLs of o.From that were tried
}

func (g *guard) run(ctx context.Context) error {
	if err := g.checkParsers(ctx); err != nil {
		return err
	}
	for g.result.Tries < g.o.MaxTries && len(g.result.Findings) < g.o.MaxFindings {
		batch := g.nextBatch(min(guardBatch, g.o.MaxTries-g.result.Tries))
		if len(batch) == 0 {
			return nil
		}
		if err := g.tryBatch(ctx, batch); err != nil {
			return err
		}
		if g.o.Progress != nil {
			g.o.Progress(g.result.Tries, len(g.result.Findings))
		}
	}
	return nil
}

// plainURL is a URL for which every parser returns a result.
const plainURL = "http://a.example/"

// checkParsers gets the versions of the parsers. If a parser cannot run, checkParsers returns an
// error.
func (g *guard) checkParsers(ctx context.Context) error {
	for i, r := range g.pair {
		list, err := r.Parse(ctx, []string{plainURL})
		if err == nil {
			g.versions[i], err = r.Version(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name(), err)
		}
		if len(list) != 1 {
			return fmt.Errorf("%s: %d results for one URL", r.Name(), len(list))
		}
	}
	return nil
}

// nextBatch returns up to n URLs that were not tried recently.
func (g *guard) nextBatch(n int) []string {
	var list []string
	for misses := 0; len(list) < n && misses < 100*n; misses++ {
		url := g.nextURL()
		if g.tried[url] {
			continue
		}
		if len(g.tried) == remembered {
			clear(g.tried)
		}
		g.tried[url] = true
		list = append(list, url)
	}
	return list
}

// nextURL returns a URL to try. The URLs in GuardOptions.From are first, followed by
// modifications of URLs that both parsers accept. If few URLs are accepted, nextURL generates a
// new URL.
func (g *guard) nextURL() string {
	if g.starting < len(g.o.From) {
		g.starting++
		return truncate(g.o.From[g.starting-1])
	}
	bases := g.accepted
	if len(bases) == 0 || len(g.o.From) > 0 && g.mutator.oneIn(4) {
		bases = g.o.From
	}
	if len(bases) == 0 || len(g.o.From) == 0 && g.mutator.oneIn(2) {
		return g.mutator.newURL()
	}
	return g.mutator.mutate(g.mutator.pick(bases), g.mutator.pick(bases))
}

// tryBatch runs the parsers on a batch and minimizes the findings.
func (g *guard) tryBatch(ctx context.Context, batch []string) error {
	pairs, err := g.parseAll(ctx, batch)
	if err != nil {
		return err
	}
	for i, p := range pairs {
		if !p[0].OK || !p[1].OK {
			continue
		}
		g.result.Accepted++
		g.addAccepted(batch[i])
		kind := g.differenceKind(p)
		if kind == "" {
			continue
		}
		if err := g.addFinding(ctx, batch[i], kind, p); err != nil {
			return err
		}
		if len(g.result.Findings) >= g.o.MaxFindings {
			return nil
		}
	}
	return nil
}

// addAccepted stores a URL that the search can modify later.
func (g *guard) addAccepted(url string) {
	if len(g.accepted) < population {
		g.accepted = append(g.accepted, url)
		return
	}
	g.accepted[g.mutator.random.IntN(population)] = url
}

// addFinding minimizes a finding and stores it, unless enough similar findings exist.
func (g *guard) addFinding(ctx context.Context, url, kind string, p [2]ParseResult) error {
	report := g.newReport(url, p)
	cause := kind + " " + string(report.Confusion)
	if g.kinds[cause] >= perKind {
		return nil
	}
	g.kinds[cause]++
	small, err := minimize(url, func(urls []string) ([]bool, error) { return g.stillDiffer(ctx, urls, kind) })
	if small != url && err == nil {
		// Run the parsers once more, to get the results for the minimized URL.
		var again [][2]ParseResult
		if again, err = g.parseAll(ctx, []string{small}); err == nil {
			report = g.newReport(small, again[0])
		}
	}
	if err != nil {
		small = url // the report describes the original URL
	}
	key := string(report.Confusion) + " " + shapeOf(small)
	if g.shapes[key] {
		return err
	}
	g.shapes[key] = true
	g.result.Findings = append(g.result.Findings, Finding{URL: small, Found: url, Differs: contact(kind), Report: report})
	return err
}

// stillDiffer reports for each URL whether both parsers accept the URL and the targets differ in
// the given kind.
func (g *guard) stillDiffer(ctx context.Context, urls []string, kind string) ([]bool, error) {
	pairs, err := g.parseAll(ctx, urls)
	if err != nil {
		return nil, err
	}
	kept := make([]bool, len(urls))
	for i, p := range pairs {
		kept[i] = p[0].OK && p[1].OK && g.differenceKind(p) == kind
	}
	return kept, nil
}

// differenceKind describes how the targets of two results differ. If the targets are the same,
// differenceKind returns "". Otherwise differenceKind returns the name of a Contact. The name is
// followed by a comma and more text if a host is missing or the scheme differs too.
func (g *guard) differenceKind(p [2]ParseResult) string {
	a, b := g.lens.meaning(p[0]), g.lens.meaning(p[1])
	if a.sameTarget(b) {
		return ""
	}
	for _, part := range []Contact{ContactHost, ContactPort, ContactScheme} {
		if a.samePart(b, string(part)) {
			continue
		}
		kind := string(part)
		if part == ContactHost && (a.parts["host"] == "" || b.parts["host"] == "") {
			kind += ", one has none"
		}
		if part != ContactScheme && !a.samePart(b, string(ContactScheme)) {
			kind += ", and the scheme"
		}
		return kind
	}
	return ""
}

func contact(kind string) Contact {
	name, _, _ := strings.Cut(kind, ",")
	return Contact(name)
}

// newReport returns the comparison of two results for url.
func (g *guard) newReport(url string, p [2]ParseResult) Report {
	r := Report{Input: url}
	for i, reading := range p {
		r.Results = append(r.Results, Result{Name: g.pair[i].Name(), Version: g.versions[i], Kind: g.pair[i].Kind(), ParseResult: reading, Offsets: partOffsets(url, reading)})
	}
	g.lens.compareAll(&r)
	return r
}

// parseAll returns the results of both parsers for each URL. A parser that crashes rejects the
// URL.
func (g *guard) parseAll(ctx context.Context, urls []string) ([][2]ParseResult, error) {
	g.result.Tries += len(urls)
	pairs := make([][2]ParseResult, len(urls))
	for i, r := range g.pair {
		list, err := readAll(ctx, r, urls)
		if err != nil {
			return nil, err
		}
		for n := range list {
			pairs[n][i] = rejectRelative(urls[n], list[n])
		}
	}
	return pairs, nil
}

// readAll runs a parser on the list urls. If the parser fails, readAll runs the parser on each
// half of the list, because a URL that crashes a program must not hide the results for other
// URLs. readAll returns an error only if ctx ends.
func readAll(ctx context.Context, r Parser, urls []string) ([]ParseResult, error) {
	list, err := r.Parse(ctx, urls)
	if err == nil && len(list) != len(urls) {
		err = fmt.Errorf("%d results for %d URLs", len(list), len(urls))
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		return list, nil
	case len(urls) == 1:
		return []ParseResult{{Error: "the parser failed: " + err.Error()}}, nil
	}
	first, err := readAll(ctx, r, urls[:len(urls)/2])
	if err != nil {
		return nil, err
	}
	second, err := readAll(ctx, r, urls[len(urls)/2:])
	return append(first, second...), err
}

// shapeOf returns url with each run of ASCII letters and digits replaced by "a", and each run of
// other letters replaced by one letter. Two URLs with the same result usually differ for the same
// reason.
func shapeOf(url string) string {
	var b strings.Builder
	var last rune
	for _, r := range url {
		switch {
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			r = 'a'
		case unicode.IsLetter(r):
			r = '\u00e4'
		}
		if r != last || strings.ContainsRune(`/\@:.`, r) {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}
