package help

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/internal/command/base"
)

// NewMan returns the subcommand "man".
func NewMan(a *base.App) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages to a directory",
		Long: `man writes a page for each subcommand and topic, in section 1: locus.1, locus-get.1 and
so on. To read a page, run "man -l locus.1".`,
		Example: `  locus man ~/.local/share/man/man1
  locus man .`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("man needs one directory for the pages; got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := writePages(args[0], cmd.Root()); err != nil {
				a.Fail(base.StatusAccess, err)
			}
			return nil
		},
	}
}

// writePages writes a manual page for cmd and for each visible subcommand of cmd.
func writePages(dir string, cmd *cobra.Command) error {
	err := os.WriteFile(filepath.Join(dir, manName(cmd)+".1"), []byte(manText(cmd)), 0o666)
	for _, c := range cmd.Commands() {
		if err == nil && hasPage(c) {
			err = writePages(dir, c)
		}
	}
	return err
}

func hasPage(c *cobra.Command) bool {
	return c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() && c.Name() != "help"
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// roff builds the source of a manual page with man(7) macros.
type roff struct{ strings.Builder }

func (r *roff) macro(name string, args ...string) {
	r.WriteString("." + name)
	for _, arg := range args {
		r.WriteString(` "` + strings.ReplaceAll(roffText(arg), `"`, `\(dq`) + `"`)
	}
	r.WriteByte('\n')
}

// lines writes lines of text. It escapes each line that roff would interpret as a request.
func (r *roff) lines(text string) {
	for line := range strings.Lines(roffText(text)) {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			r.WriteString(`\&`)
		}
		r.WriteString(strings.TrimRight(line, "\n") + "\n")
	}
}

func (r *roff) literal(text string) {
	r.macro("nf")
	r.lines(text)
	r.macro("fi")
}

// prose writes paragraphs. It writes an indented paragraph literally. If the first line of a
// paragraph ends in ":", this line is the heading for the other lines.
func (r *roff) prose(text string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if heading, rest, ok := strings.Cut(paragraph, ":\n"); ok && !strings.Contains(heading, "\n") {
			r.macro("SS", heading)
			paragraph = rest
		}
		r.macro("PP")
		if strings.HasPrefix(paragraph, "  ") {
			r.literal(paragraph)
		} else {
			r.lines(paragraph)
		}
	}
}

func roffText(text string) string {
	return strings.NewReplacer(`\`, `\e`, `-`, `\-`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`).Replace(text)
}

func manText(cmd *cobra.Command) string {
	var r roff
	r.macro("TH", strings.ToUpper(manName(cmd)), "1", "", "locus", "Locus")
	r.macro("SH", "NAME")
	r.lines(manName(cmd) + " - " + cmd.Short)
	if cmd.Runnable() {
		r.macro("SH", "SYNOPSIS")
		r.lines(cmd.UseLine())
	}
	if cmd.Long != "" {
		r.macro("SH", "DESCRIPTION")
		r.prose(cmd.Long)
	}
	if cmd.Runnable() {
		for _, group := range base.FlagGroups(cmd) {
			manFlags(&r, "OPTIONS: "+strings.ToUpper(group.Name()), group)
		}
	}
	if cmd.Example != "" {
		r.macro("SH", "EXAMPLES")
		r.literal(cmd.Example)
	}
	manSeeAlso(&r, cmd)
	return r.String()
}

func manFlags(r *roff, title string, flags *pflag.FlagSet) {
	r.macro("SH", title)
	flags.VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		r.macro("TP")
		r.lines(strings.TrimSpace(name + " " + value))
		r.lines(usage)
	})
}

func manSeeAlso(r *roff, cmd *cobra.Command) {
	var names []string
	if cmd.HasParent() {
		names = append(names, manName(cmd.Parent())+"(1)")
	}
	for _, c := range cmd.Commands() {
		if hasPage(c) {
			names = append(names, manName(c)+"(1)")
		}
	}
	if len(names) > 0 {
		r.macro("SH", "SEE ALSO")
		r.lines(strings.Join(names, ",\n"))
	}
}
