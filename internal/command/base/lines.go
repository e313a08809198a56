package base

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/internal/lines"
)

// LineFlags holds the flags that select the sources of lines and the URL within a line.
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
		flags.BoolVar(&f.files, "files", false, "arguments are files with one URL per line, or \"-\"")
		flags.StringVar(&f.field, "field", "", "the URL is in field `N` (-1: last), or column NAME")
		flags.StringVar(&f.delimiter, "delimiter", "", "the field separator is `D` (default TAB); \",\" means CSV")
		flags.StringVar(&f.key, "key", "", "the URL is at `PATH` of each JSON line: a.b[0].url")
		flags.StringVar(&f.as, "as", "", "read the lines as `FORMAT`: "+strings.Join(lines.Formats(), ", "))
	})
	cmd.MarkFlagsMutuallyExclusive("field", "key", "as")
	CompleteFlag(cmd, "as", lines.Formats)
	return f
}

// maxKeyLine is the maximum length in bytes of a line that contains more than a URL.
const maxKeyLine = 16 << 20

// Reads reports whether args select standard input or files, which [LineFlags.Blocks] reads. If
// not, the arguments are URLs. It returns an error if flags contradict each other.
func (f *LineFlags) Reads(args []string) (bool, error) {
	f.o = lines.Options{Stdin: f.app.In}
	set := f.cmd.Flags().Changed
	var err error
	name := ""
	switch {
	case set("field"):
		name = "field"
		err = f.setField()
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
		return false, errors.New("--" + name + ` applies to lines of input: name the files after --files, or use "-" for standard input`)
	case set("delimiter") && name != "field":
		return false, errors.New("--delimiter needs --field")
	}
	if f.o.Finder != nil || f.o.Column != "" {
		f.o.MaxLine = maxKeyLine
	}
	return reads, nil
}

// setField parses the flags --field and --delimiter.
func (f *LineFlags) setField() (err error) {
	delimiter := "\t"
	if f.cmd.Flags().Changed("delimiter") {
		// Most shells have no simple way to write a TAB.
		delimiter = strings.ReplaceAll(f.delimiter, `\t`, "\t")
	}
	if n, err := strconv.Atoi(f.field); err == nil {
		f.o.Finder, err = lines.Field(n, delimiter)
		return err
	}
	if f.field == "" {
		return errors.New("write a number, 1 for the first field, -1 for the last, or the name of a column")
	}
	f.o.Column, f.o.Delimiter = f.field, delimiter
	_, err = lines.Field(1, delimiter)
	return err
}

// Fail reports that a source cannot be read, and names flags that help.
func (f *LineFlags) Fail(err error) {
	var format *lines.FormatError
	var column *lines.ColumnError
	switch {
	case errors.As(err, &format):
		f.app.Fail(StatusUsage, fmt.Errorf("%w: %s", err, flagsFor(format)))
	case errors.As(err, &column) && len(column.Columns) == 1 && strings.ContainsAny(column.Columns[0], ",;"):
		f.app.Fail(StatusUsage, fmt.Errorf("%w; CSV needs --delimiter , or ;", err))
	case errors.As(err, &column):
		f.app.Fail(StatusUsage, err)
	default:
		f.app.Fail(StatusAccess, err)
	}
}

func flagsFor(e *lines.FormatError) string {
	switch e.Format {
	case lines.FormatParquet:
		return "convert it to CSV or JSON lines, or use locus-beam with --key COLUMN"
	case lines.FormatJSON:
		return "use --key " + ShellQuote(cmp.Or(e.Key, "PATH"))
	}
	flags := "use --field " + ShellQuote(cmp.Or(e.Column, strconv.Itoa(e.Field)))
	if e.Delimiter != "\t" {
		flags += " --delimiter " + ShellQuote(e.Delimiter)
	}
	return flags
}

// Blocks yields the lines of the sources that args select. The caller must first call
// [LineFlags.Reads]. Blocks stops when the user interrupts the run. The caller must report errors
// and lines without a URL.
func (f *LineFlags) Blocks(args []string) iter.Seq[*lines.Block] {
	if IsStdin(args) {
		f.app.NoteKeyboard("URLs, one per line,")
	}
	return lines.Blocks(f.app.Context, args, &f.o)
}
