package verify

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/verify"
)

// outputFlags holds the output flags, and the outputs that these flags select.
type outputFlags struct {
	format       string
	files        []string // values of --output
	all, suggest bool
	moved        bool
	fix, dryRun  bool

	outputs []*output
	fixer   *fixer // fixer for --fix; otherwise nil
}

const tellLong = `Reports:
--output writes another report to a file, even if the run is interrupted. FORMAT is a
format of --format. Without "FORMAT=", the file extension (.html, .csv, .sarif, .xml,
.md, .json, .txt) selects the format, or else --format does. With --format github, verify
also appends a table to the file $GITHUB_STEP_SUMMARY.

Repair:
--fix replaces each link that has moved permanently (301, 308) in its document. --fix
--dry-run writes a patch for "git apply" or "patch -p1" instead.`

func (v *verifier) addTellFlags(cmd *cobra.Command) {
	t := &v.tell
	base.AddFlags(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&t.format, "format", "text", "report as `FORMAT`: "+formatList())
		f.StringArrayVar(&t.files, "output", nil, "also write a report to a file: `FORMAT=FILE` (repeatable)")
		f.BoolVar(&t.all, "all", false, "also show good links")
		f.BoolVar(&t.moved, "moved", false, "show links that have moved permanently")
		f.BoolVar(&v.o.Document.Context, "context", false, "also show the line of each link")
		f.BoolVar(&t.suggest, "suggest", false, "look up dead links in the archive of verify.archive")
	})
	base.AddFlags(cmd, "Repair", func(f *pflag.FlagSet) {
		f.BoolVar(&t.fix, "fix", false, "replace links that have moved permanently in their documents")
		f.BoolVar(&t.dryRun, "dry-run", false, "with --fix: write a patch instead of changing documents")
	})
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formatNames(), cobra.ShellCompDirectiveNoFileComp))
}

// format is a report format.
type format struct {
	name    string
	endings []string // file name extensions
	all     bool     // whether the report always includes good links
	open    func(*verifier, *output) reporter
}

// formats lists all report formats. If two formats have the same file extension, the first format
// is the default for this extension.
func formats() []format {
	return []format{
		{"text", []string{".txt"}, false, newTextReport},
		{"json", []string{".json", ".ndjson", ".jsonl"}, true, newJSONReport},
		{"junit", []string{".xml"}, true, newJUnitReport},
		{"markdown", []string{".md", ".markdown"}, false, newMarkdownReport},
		{"github", []string{".txt"}, false, newGitHubReport},
		{"sarif", []string{".sarif", ".json"}, false, newSARIFReport},
		{"html", []string{".html", ".htm"}, false, newHTMLReport},
		{"csv", []string{".csv"}, false, newCSVReport},
	}
}

func formatNames() (names []string) {
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// formatList returns a list of all format names for use in a sentence.
func formatList() string {
	names := formatNames()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func formatOf(name string) (format, error) {
	for _, f := range formats() {
		if f.name == name {
			return f, nil
		}
	}
	return format{}, fmt.Errorf("unknown format %q: choose %s", name, formatList())
}

// parseOutput splits a value of --output into the format and the file name. The defaultFormat is
// the value of --format.
func parseOutput(value, defaultFormat string) (f format, file string, err error) {
	name, file, explicit := strings.Cut(value, "=")
	// A value such as "out/a=b.html" is only a file name.
	if explicit && !strings.ContainsAny(name, `./\`) {
		f, err = formatOf(name)
	} else {
		file = value
		f, err = formatOf(formatOfFile(file, defaultFormat))
	}
	switch {
	case err != nil:
	case file == "":
		err = errors.New("missing file: write FORMAT=FILE")
	case file == "-":
		err = fmt.Errorf("standard output already has the report of --format: use --format %s", f.name)
	}
	if err != nil {
		return f, "", fmt.Errorf("--output %s: %w", locus.Quote(value), err)
	}
	return f, file, nil
}

// formatOfFile returns the format for a file name. If several formats use the file extension,
// formatOfFile prefers defaultFormat. If no format uses the extension, formatOfFile returns
// defaultFormat.
func formatOfFile(file, defaultFormat string) string {
	ending := strings.ToLower(filepath.Ext(file))
	var first string
	for _, f := range formats() {
		if !slices.Contains(f.endings, ending) {
			continue
		}
		if f.name == defaultFormat {
			return defaultFormat
		}
		if first == "" {
			first = f.name
		}
	}
	if first == "" {
		return defaultFormat
	}
	return first
}

// prepareTell checks the flags and opens the outputs.
func (v *verifier) prepareTell() error {
	t := &v.tell
	if v.a.Flags.JSON && t.format == "text" {
		t.format = "json"
	}
	f, err := formatOf(t.format)
	switch {
	case err != nil:
		return err
	case v.choice.dump && (t.fix || len(t.files) > 0):
		return errors.New("--dump verifies nothing: it can't be used with --output or --fix")
	case t.dryRun && !t.fix:
		return errors.New("--dry-run needs --fix")
	case t.dryRun && t.format != "text":
		return errors.New("--dry-run writes a patch to standard output: use --output FORMAT=FILE for a report")
	}
	if t.fix {
		t.fixer = newFixer(v)
	}
	var files []func() error
	for _, value := range t.files {
		f, file, err := parseOutput(value, t.format)
		if err != nil {
			return err
		}
		files = append(files, func() error { return v.openFile(f, file) })
	}
	if !t.dryRun {
		v.openStandard(f)
	}
	for _, open := range files {
		if err := open(); err != nil {
			v.discardOutputs()
			return err
		}
	}
	v.openSummary()
	return nil
}

// isUseless reports whether the run can end early, because standard output is the only output and
// a write to it has failed.
func (v *verifier) isUseless() bool {
	return v.a.OutputFailed() && len(v.tell.files) == 0 && !v.tell.fix
}

// tellResult writes a result to the outputs that show such results.
func (v *verifier) tellResult(r *verify.Result) {
	interesting := v.isShown(r)
	for _, o := range v.tell.outputs {
		if interesting || o.all {
			o.report.result(r)
		}
	}
	if v.tell.fixer != nil {
		v.tell.fixer.addResult(r)
	}
}
