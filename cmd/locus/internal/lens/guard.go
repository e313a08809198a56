package lens

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/lens"
)

// guardFlags holds the flags of --guard.
type guardFlags struct {
	guard       string
	fromNothing bool
	seed        uint64
	maxTries    int
}

func (g *guardFlags) add(f *pflag.FlagSet) {
	f.StringVar(&g.guard, "guard", "", "search for URLs that pass the filter of `filter=READER,fetch=READER`")
	f.BoolVar(&g.fromNothing, "from-nothing", false, "with --guard: start without the known URLs")
	f.Uint64Var(&g.seed, "seed", 1, "with --guard: seed the random generator with `N`")
	f.IntVar(&g.maxTries, "max-tries", 20000, "with --guard: stop after about `N` URLs")
}

// pair returns the readers in a flag value such as "filter=A,fetch=B".
func (g *guardFlags) pair(known []string) (filter, fetch string, err error) {
	names := map[string]string{}
	for part := range strings.SplitSeq(g.guard, ",") {
		role, name, ok := strings.Cut(strings.TrimSpace(part), "=")
		if _, twice := names[role]; !ok || twice || role != "filter" && role != "fetch" {
			return "", "", fmt.Errorf(`--guard %s: write "filter=net/url,fetch=curl"`, g.guard)
		}
		if !slices.Contains(known, name) {
			return "", "", fmt.Errorf("--guard: unknown reader %q: choose %s", name, strings.Join(known, ", "))
		}
		names[role] = name
	}
	switch filter, fetch = names["filter"], names["fetch"]; {
	case filter == "" || fetch == "":
		return "", "", fmt.Errorf(`--guard %s: write "filter=net/url,fetch=curl"`, g.guard)
	case filter == fetch:
		return "", "", fmt.Errorf("--guard: name two different readers")
	}
	return filter, fetch, nil
}

// runGuard searches for URLs that pass a filter with one reader, although the other reader
// contacts a different host.
func (c *command) runGuard() error {
	filter, fetch, err := c.pair(c.names())
	if err != nil {
		return err
	}
	if c.maxTries < 1 {
		return fmt.Errorf("--max-tries %d: write a number above 0", c.maxTries)
	}
	readers, err := c.named(filter, fetch)
	if err != nil {
		return err
	}
	o := lens.GuardOptions{Seed: c.seed, MaxTries: c.maxTries}
	if !c.fromNothing {
		for _, e := range lens.Corpus() {
			o.From = append(o.From, e.URL)
		}
	}
	l := lens.New(c.Registry)
	started := time.Now()
	progress, end := c.guardProgress()
	o.Progress = progress
	result, err := l.Guard(c.ctx, readers[0], readers[1], &o)
	end()
	if err != nil && c.ctx.Err() == nil {
		c.Fail(base.StatusAccess, err)
		return nil
	}
	for _, f := range result.Findings {
		c.RaiseStatus(base.StatusNo)
		c.writeFinding(f)
	}
	c.Note("%d found: %d URLs tried in %s, of which %s and %s accepted %d", len(result.Findings), result.Tries,
		time.Since(started).Round(10*time.Millisecond), filter, fetch, result.Accepted)
	return nil
}

// named returns the two readers with the given names.
func (c *command) named(filter, fetch string) ([2]lens.Parser, error) {
	given := func(name string) bool {
		return slices.ContainsFunc(c.with, func(with string) bool { return with == name || strings.HasPrefix(with, name+"=") })
	}
	for _, name := range []string{filter, fetch} {
		if slices.Contains(lens.ProgramNames(), name) && !given(name) {
			c.with = append(c.with, name)
		}
	}
	c.without = []string{everyProgram}
	readers, err := c.readers()
	if err != nil {
		return [2]lens.Parser{}, err
	}
	by := func(name string) lens.Parser {
		return readers[slices.IndexFunc(readers, func(r lens.Parser) bool { return r.Name() == name })]
	}
	return [2]lens.Parser{by(filter), by(fetch)}, nil
}

func (c *command) writeFinding(f lens.Finding) {
	if c.Flags.JSON {
		c.WriteJSON(f.Report)
		return
	}
	if c.answers++; c.answers > 1 {
		c.Out.WriteByte('\n')
	}
	masked := f.Report.Masked()
	colors := term.NewColors(c.OutTTY, c.Getenv)
	fmt.Fprintln(c.Out, colors.In(term.Bold, strconv.Quote(masked.Input)))
	fmt.Fprintln(c.Out, "  "+term.Text(masked.Why))
	for _, a := range f.Report.Advisories() {
		fmt.Fprintf(c.Out, "  like %s\n", a)
	}
}

// guardProgress returns two functions. The function show displays the progress of a search on
// a terminal, and the function end removes the display.
func (c *command) guardProgress() (show func(tries, findings int), end func()) {
	if !c.ErrTTY || c.Flags.Quiet || c.Flags.JSON {
		return nil, func() {}
	}
	var last time.Time
	show = func(tries, findings int) {
		if time.Since(last) < base.ProgressEvery {
			return
		}
		last = time.Now()
		fmt.Fprintf(c.ErrOut, "\r\x1b[K%d tried, %d found", tries, findings)
	}
	return show, func() { fmt.Fprint(c.ErrOut, "\r\x1b[K") }
}
