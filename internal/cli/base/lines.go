package base

import (
	"errors"
	"iter"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/internal/lines"
)

// LineFlags are the flags that say where lines come from, and where in a line the URL is.
type LineFlags struct {
	app       *App
	cmd       *cobra.Command
	files     bool
	field     string
	delimiter string
	key       string
	as        string
	o         lines.Options
}

// AddLineFlags adds the flags to cmd.
func AddLineFlags(a *App, cmd *cobra.Command) *LineFlags {
	f := &LineFlags{app: a, cmd: cmd}
	AddFlags(cmd, "Input", func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.files, "files", false, "read the arguments as files with a URL a line; \"-\" is standard input")
		flags.StringVar(&f.field, "field", "", "take the URL from field `N` of each line, -1 for the last")
		flags.StringVar(&f.delimiter, "delimiter", "", "separate fields at `D` (default TAB); \",\" and \";\" mean CSV")
		flags.StringVar(&f.key, "key", "", "take the URL from the value at `PATH` of each JSON line: a.b[0].url")
		flags.StringVar(&f.as, "as", "", "read the lines as `FORMAT`: "+strings.Join(lines.Formats(), ", "))
	})
	cmd.MarkFlagsMutuallyExclusive("field", "key", "as")
	CompleteFlag(cmd, "as", lines.Formats)
	return f
}

// maxKeyLine is the longest line, in octets, of those that have more than a URL.
const maxKeyLine = 16 << 20

// Reads reports whether args name lines to read, with [LineFlags.Blocks]: "-" alone, or
// files. Otherwise they are URLs. The error is for flags that do not fit.
func (f *LineFlags) Reads(args []string) (bool, error) {
	f.o = lines.Options{Stdin: f.app.In}
	set := f.cmd.Flags().Changed
	var err error
	name := ""
	switch {
	case set("field"):
		name = "field"
		f.o.Finder, err = f.fieldFinder()
	case set("key"):
		name = "key"
		f.o.Finder, err = lines.Key(f.key)
	case set("as"):
		name = "as"
		f.o.Format, err = lines.ParseFormat(f.as)
	}
	reads := f.files || IsStdin(args)
	switch {
	case err != nil:
		return false, Prefix("--"+name, err)
	case name != "" && !reads:
		return false, errors.New("--" + name + ` is for lines: add --files before their files, or write "-" for standard input`)
	case set("delimiter") && name != "field":
		return false, errors.New("--delimiter needs --field")
	}
	if f.o.Finder != nil {
		f.o.MaxLine = maxKeyLine
	}
	return reads, nil
}

func (f *LineFlags) fieldFinder() (*lines.Finder, error) {
	n, err := strconv.Atoi(f.field)
	if err != nil {
		return nil, errors.New("write a number: 1 for the first field, -1 for the last")
	}
	delimiter := "\t"
	if f.cmd.Flags().Changed("delimiter") {
		// A TAB is hard to write in most shells.
		delimiter = strings.ReplaceAll(f.delimiter, `\t`, "\t")
	}
	return lines.Field(n, delimiter)
}

// Blocks yields the lines of args, after [LineFlags.Reads]. It stops when the run is
// interrupted. The caller reports errors, and lines that lack a URL.
func (f *LineFlags) Blocks(args []string) iter.Seq[*lines.Block] {
	if IsStdin(args) {
		f.app.NoteKeyboard("URLs, one a line,")
	}
	return lines.Blocks(f.app.Context, args, &f.o)
}
