package base

import (
	"iter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/internal/lines"
)

// LineFlags are the flags that say where lines come from, and where in a line the URL is.
type LineFlags struct {
	app   *App
	files bool
}

// AddLineFlags adds the flags to cmd.
func AddLineFlags(a *App, cmd *cobra.Command) *LineFlags {
	f := &LineFlags{app: a}
	AddFlags(cmd, "Input", func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.files, "files", false, "read the arguments as files with a URL a line")
	})
	return f
}

// Reads reports whether args name lines to read, with [LineFlags.Blocks]: "-" alone, or
// files. Otherwise they are URLs. The error is for flags that do not fit.
func (f *LineFlags) Reads(args []string) (bool, error) {
	return f.files || IsStdin(args), nil
}

// Blocks yields the lines of args. It stops when the run is interrupted. Errors and lines
// are for the caller to report.
func (f *LineFlags) Blocks(args []string) iter.Seq[*lines.Block] {
	if len(args) == 1 && args[0] == "-" {
		f.app.NoteKeyboard("URLs, one a line,")
	}
	return lines.Blocks(f.app.Context, args, &lines.Options{Stdin: f.app.In})
}
