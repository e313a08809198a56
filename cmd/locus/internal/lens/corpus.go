package lens

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/lens"
)

// corpusFlags holds the flags of --corpus.
type corpusFlags struct {
	corpus bool
	format string
}

// corpusFormats returns the formats for --corpus. The default is first.
func corpusFormats() []string { return []string{"text", "markdown", "html"} }

func (c *corpusFlags) add(f *pflag.FlagSet) {
	f.BoolVar(&c.corpus, "corpus", false, "count disagreements about URLs that are known to confuse parsers")
	f.StringVar(&c.format, "format", corpusFormats()[0], "with --corpus: write `FORMAT`, "+strings.Join(corpusFormats(), ", "))
}

// settle returns an error if the flags contradict each other.
func (c *command) settle() error {
	switch {
	case c.corpus && c.guard != "":
		return errors.New("--corpus and --guard can't be used together")
	case c.list && (c.corpus || c.guard != ""):
		return errors.New("--list can't be used with --corpus or --guard")
	case c.format != corpusFormats()[0] && !c.corpus:
		return errors.New("--format needs --corpus")
	case c.fromNothing && c.guard == "":
		return errors.New("--from-nothing needs --guard filter=READER,fetch=READER")
	case c.guard != "" && len(c.without) > 0:
		return errors.New("--without can't be used with --guard, which names its readers")
	case !slices.Contains(corpusFormats(), c.format):
		return fmt.Errorf("--format: unknown format %q: choose %s", c.format, strings.Join(corpusFormats(), ", "))
	}
	return nil
}

// runCorpus runs the readers on the corpus. runCorpus writes how often each pair of readers
// disagrees.
func (c *command) runCorpus(readers []lens.Parser) error {
	l := lens.New(c.Registry, readers...)
	result := corpusResult{entries: lens.Corpus(), lens: l}
	urls := make([]string, len(result.entries))
	for i, e := range result.entries {
		urls[i] = e.URL
	}
	var err error
	if result.reports, err = l.Compare(c.ctx, urls); err != nil {
		c.ended()
		return nil
	}
	result.Matrix = l.Matrix(result.reports)
	if c.Flags.JSON {
		c.WriteJSON(result.Matrix)
		return nil
	}
	switch c.format {
	case "markdown":
		corpusMarkdown(c.Out, result)
	case "html":
		return c.WithoutOutputError(corpusHTML(c.Out, result))
	default:
		c.corpusText(c.Out, result)
	}
	return nil
}

// corpusResult is the result of the readers for the corpus.
type corpusResult struct {
	lens.Matrix
	entries []lens.Entry
	reports []lens.Report
	lens    *lens.Lens
}

// matrixTable describes a table that counts one kind of disagreement between readers.
type matrixTable struct {
	title string
	count func(lens.Pair) int
}

func matrixTables() []matrixTable {
	return []matrixTable{
		{"Both accept the URL but contact different hosts", func(p lens.Pair) int { return p.Host }},
		{"Both accept the URL but differ in a part", func(p lens.Pair) int { return p.Any }},
		{"One accepts the URL, the other rejects it", func(p lens.Pair) int { return p.Verdict }},
	}
}

// cells returns the rows of a table. Each cell contains the count for a pair of readers. Cells
// on the diagonal are empty.
func (r corpusResult) cells(table matrixTable) [][]string {
	rows := make([][]string, len(r.Pairs))
	for i, pairs := range r.Pairs {
		for j, p := range pairs {
			text := ""
			if i != j {
				text = strconv.Itoa(table.count(p))
			}
			rows[i] = append(rows[i], text)
		}
	}
	return rows
}

// summary summarizes the result in one or two sentences.
func (r corpusResult) summary() string {
	return fmt.Sprintf("%d readers, %d URLs. Readers that accept a URL would contact different servers for %d of them. All readers treat %d alike.",
		len(r.Parsers), r.URLs, r.Danger, r.Alike)
}

func (c *command) corpusText(w io.Writer, r corpusResult) {
	colors := term.NewColors(c.OutTTY, c.Getenv)
	fmt.Fprintln(w, r.summary())
	for i, reader := range r.Parsers {
		fmt.Fprintf(w, "%3d  %-14s  %-8s  accepts %3d  %s\n", i+1, reader.Name, reader.Kind, reader.Accepted, versionText(reader))
	}
	for _, table := range matrixTables() {
		fmt.Fprintf(w, "\n%s\n%19s", colors.In(term.Bold, table.title), "")
		for i := range r.Parsers {
			fmt.Fprintf(w, "%4d", i+1)
		}
		fmt.Fprintln(w)
		for i, row := range r.cells(table) {
			fmt.Fprintf(w, "%3d  %-14s", i+1, r.Parsers[i].Name)
			for _, cell := range row {
				fmt.Fprintf(w, "%4s", cell)
			}
			fmt.Fprintln(w)
		}
	}
}

// versionText returns the text that shows a reader's version and the number of URLs without a
// result.
func versionText(r lens.MatrixParser) string {
	text := term.Text(r.Version)
	if r.Failed > 0 {
		text = strings.TrimSpace(fmt.Sprintf("%s (no result for %d)", text, r.Failed))
	}
	return text
}

// ownName is the name of this program's reader. The stored matrix omits this reader's version,
// because the reader is not a separate program.
const ownName = "locus"

func corpusMarkdown(w io.Writer, r corpusResult) {
	fmt.Fprintf(w, "# Disagreements between readers\n\n%s\n\n", r.summary())
	fmt.Fprint(w, "Made by `locus lens --corpus --format markdown`. The URLs and their sources are in `lens/corpus.tsv`;\n"+
		"`locus lens --corpus --format html` shows how each reader parses each of them.\n\n"+
		"| | reader | version | accepts |\n|---|---|---|---|\n")
	for i, reader := range r.Parsers {
		version := versionText(reader)
		if reader.Name == ownName {
			version = "this one"
		}
		fmt.Fprintf(w, "| %d | %s | %s | %d |\n", i+1, reader.Name, version, reader.Accepted)
	}
	for _, table := range matrixTables() {
		fmt.Fprintf(w, "\n## %s\n\n| |", table.title)
		for i := range r.Parsers {
			fmt.Fprintf(w, " %d |", i+1)
		}
		fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(r.Parsers)))
		for i, row := range r.cells(table) {
			fmt.Fprintf(w, "| %d %s | %s |\n", i+1, r.Parsers[i].Name, strings.Join(row, " | "))
		}
	}
}

//go:embed corpus.html
var corpusPage string

type pageTable struct {
	Title string
	Rows  []pageRow
}

type pageRow struct {
	Name  string
	Cells []string
}

type pageEntry struct {
	URL, Note, Source, Class, Confusion string
	Danger                              bool
	Hosts                               []pageHost
	Refused                             string
}

// pageHost names a host and the readers that would contact the host.
type pageHost struct {
	Host, Readers string
	reading       lens.ParseResult
}

func corpusHTML(w io.Writer, r corpusResult) error {
	page, err := template.New("").Option("missingkey=error").Parse(corpusPage)
	if err != nil {
		return err
	}
	var tables []pageTable
	for _, table := range matrixTables() {
		t := pageTable{Title: table.title}
		for i, row := range r.cells(table) {
			t.Rows = append(t.Rows, pageRow{r.Parsers[i].Name, row})
		}
		tables = append(tables, t)
	}
	var entries []pageEntry
	for i := range r.entries {
		entries = append(entries, r.pageEntry(i))
	}
	return page.Execute(w, map[string]any{"Summary": r.summary(), "Readers": r.Parsers, "Tables": tables, "Entries": entries})
}

func (r corpusResult) pageEntry(i int) pageEntry {
	e, report := r.entries[i], r.reports[i]
	m := report.Masked()
	entry := pageEntry{
		URL: strconv.Quote(m.Input), Note: e.Note, Source: e.Source, Class: e.Class, Confusion: string(m.Confusion), Danger: m.Danger,
	}
	var refused []string
	for n, a := range m.Results {
		if a.OK {
			entry.Hosts = r.addHost(entry.Hosts, a, report.Results[n].ParseResult)
		} else {
			refused = append(refused, a.Name)
		}
	}
	entry.Refused = strings.Join(refused, ", ")
	return entry
}

// addHost adds the reader of the result a to the list entry for the host that the reader would
// contact.
func (r corpusResult) addHost(hosts []pageHost, a lens.Result, reading lens.ParseResult) []pageHost {
	for i := range hosts {
		if r.lens.SameTarget(hosts[i].reading, reading) {
			hosts[i].Readers += ", " + a.Name
			return hosts
		}
	}
	text := "no host"
	if a.Host != nil && *a.Host != "" {
		text = term.Text(*a.Host)
	}
	if a.Port != nil && *a.Port != "" {
		text += " port " + term.Text(*a.Port)
	}
	return append(hosts, pageHost{text, a.Name, reading})
}
