// Package extract implements the subcommand "locus extract", which finds URLs in documents.
package extract

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/bulk"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
)

type extractor struct {
	a                *base.App
	recursive        bool
	as               string
	unique, context  bool
	partial          bool
	schemes, hosts   []string
	noIgnore, hidden bool
	o                document.Options
	prefix           bool          // write the file name before each URL
	free             chan []byte   // buffers that can be reused
	parts            chan struct{} // contains a value for each part of a file that a goroutine is reading
	readers          sync.WaitGroup
	memory           base.MemoryFlags
	hasher           bulk.Hasher // for --unique
	failed           error       // error from --unique
}

// New returns the subcommand "locus extract".
func New(a *base.App) *cobra.Command {
	x := &extractor{a: a}
	cmd := &cobra.Command{
		Use:   "extract [FILE...]",
		Short: "Find the URLs in texts and documents",
		Long: `extract writes URLs, one per line, in the order of the text. It finds URLs in the wrappers
of RFC 1738 ("<URL:...>", even over line and page breaks), between "<" and ">", and
without delimiters. Without a FILE, or for "-", it reads standard input.

Documents:
extract reads plain text, source code, Markdown, HTML, CSS, mail and mboxes. They may be
compressed (gzip, bzip2, xz, zstd, compress) or in tar and zip archives. The name and the
content determine the type; --as sets it: text, markdown, html, mail, mbox, or a media
type. Standard input is plain text by default. extract skips binary files, except with
--as text.

-r reads directories, but no hidden files and no files that .gitignore and .ignore
exclude, like ripgrep.

Output:
With several files or -r, each line begins with the file name and ":", and for members of
containers the member name and ":". If a line breaks after a hyphen within a URL, extract
writes the URL with and without the hyphen.

A URL with non-ASCII characters is written unchanged. With --json, "iri" marks it, and
"ascii" is the equivalent URL.

--schemeless also finds names such as www.example.org and mail addresses, like GitHub. It
writes them with the scheme http or mailto. With --json, "assumed" is that scheme.

Exit status:
1 if there is no URL; 3 if a file could not be read. extract still reads the other files.`,
		Example: `  locus extract notes.txt
  locus extract -r --unique --scheme ftp,gopher .`,
		RunE: func(_ *cobra.Command, args []string) error { return x.run(args) },
	}
	base.AddFlags(cmd, "Input", func(f *pflag.FlagSet) {
		f.BoolVarP(&x.recursive, "recursive", "r", false, "read directories; without a FILE, the current one")
		f.StringVar(&x.as, "as", "", "read every file as `TYPE`")
		f.BoolVar(&x.noIgnore, "no-ignore", false, "with -r: also read files that .gitignore and .ignore exclude")
		f.BoolVar(&x.hidden, "hidden", false, "with -r: also read hidden files")
		f.Var((*config.Size)(&a.Flags.MaxSize), "max-size", "unpack at most `N` bytes of a container (10M, 5G)")
	})
	base.AddFlags(cmd, "Selection", func(f *pflag.FlagSet) {
		f.StringSliceVar(&x.schemes, "scheme", nil, "find only URLs with this `SCHEME` (repeatable)")
		f.StringSliceVar(&x.hosts, "host", nil, "find only URLs with this `HOST`, or \"*.DOMAIN\" for subdomains (repeatable)")
		f.BoolVar(&x.o.Extract.Schemeless, "schemeless", false, "also find \"www.\" names and mail addresses")
		f.BoolVar(&x.partial, "partial", false, "also find relative references in Markdown, HTML and CSS")
	})
	base.AddFlags(cmd, "Output", func(f *pflag.FlagSet) {
		f.BoolVar(&x.unique, "unique", false, "write each URL once")
		f.BoolVar(&x.context, "context", false, "also write the line that contains each URL")
	})
	base.AddFlags(cmd, "Memory", x.memory.Add)
	base.CompleteFlag(cmd, "as", func() []string { return base.DocumentTypes() })
	base.CompleteFlag(cmd, "scheme", a.SchemeNames)
	return cmd
}

func (x *extractor) prepare() error {
	err := x.memory.Check()
	if err != nil {
		return err
	}
	if x.o.Type, err = base.DocumentType(x.as); err != nil {
		return err
	}
	for i, name := range x.schemes {
		x.schemes[i] = strings.ToLower(strings.TrimSuffix(name, ":"))
	}
	for i, host := range x.hosts {
		x.hosts[i] = strings.ToLower(host)
	}
	x.o.Extract.Schemes = x.a.Registry.InText()
	if len(x.schemes) > 0 {
		x.o.Extract.Schemes, x.o.SchemesOnly = extract.Named(extract.Any, x.schemes...), true
	}
	x.o.Context = x.context
	x.o.NoPosition = !x.context && !x.a.Flags.JSON
	x.o.Extract.Borrow = true
	x.o.MaxUnpacked = x.a.Flags.MaxSize
	return nil
}

func (x *extractor) run(args []string) error {
	if err := x.prepare(); err != nil {
		return err
	}
	switch {
	case len(args) == 0 && x.recursive:
		args = []string{"."}
	case len(args) == 0:
		args = []string{"-"}
	}
	x.prefix = x.recursive || len(args) > 1
	found := x.write(args)
	if x.a.Context.Err() == nil && found == 0 && !x.a.OutputFailed() {
		x.a.RaiseStatus(base.StatusNo)
	}
	return nil
}

func (x *extractor) wants(l *document.Link) bool {
	if l.URL.IsZero() {
		return x.partial && len(x.hosts) == 0 && len(x.schemes) == 0
	}
	if len(x.schemes) > 0 && !slices.Contains(x.schemes, l.URL.Scheme()) {
		// The prefix "URL:" may precede a URL of any scheme.
		return false
	}
	return len(x.hosts) == 0 || slices.ContainsFunc(x.hosts, func(host string) bool {
		return onHost(l.URL.Host(), host) || l.IRI && onHost(l.ASCII.Host(), host)
	})
}

// onHost reports whether host matches name. A name such as "*.example.com" matches all hosts in
// the domain. Other names match only equal hosts.
func onHost(host, name string) bool {
	host = strings.ToLower(host)
	if domain, ok := strings.CutPrefix(name, "*"); ok {
		return strings.HasSuffix(host, domain)
	}
	return host == name
}

type linkJSON struct {
	File        shape.Text  `json:"file"`
	URL         *shape.Text `json:"url"` // null for a relative reference
	Start       int64       `json:"start"`
	End         int64       `json:"end"`
	Line        int64       `json:"line"`
	Column      int64       `json:"column"`
	Form        shape.Text  `json:"form"`
	Alternative *shape.Text `json:"alternative"` // URL without the hyphen at the end of a line
	Member      *shape.Text `json:"member"`      // member of a container
	Type        shape.Text  `json:"type"`        // media type of the text
	Element     *shape.Text `json:"element"`     // HTML element and attribute, such as "a href"
	Partial     *shape.Text `json:"partial,omitempty"`
	Base        *shape.Text `json:"base,omitempty"`    // base URL that the document specifies
	IRI         bool        `json:"iri,omitempty"`     // the URL contains characters outside US-ASCII
	ASCII       *shape.Text `json:"ascii,omitempty"`   // ASCII URL of an IRI
	Assumed     *shape.Text `json:"assumed,omitempty"` // assumed scheme of a URL without a scheme
	Context     *shape.Text `json:"context,omitempty"`
}

func (x *extractor) object(file string, l *document.Link) linkJSON {
	j := linkJSON{
		File: shape.Text(file), Start: l.Start, End: l.End, Line: l.Line, Column: l.Column, Form: shape.Text(l.Form.String()),
		URL: some(l.URL.String()), Alternative: some(l.Alternative.String()), Member: some(l.Member), Type: shape.Text(l.Type), Element: some(l.Element),
		Partial: some(l.Ref), Base: some(l.Base),
	}
	if j.IRI = l.IRI; j.IRI {
		j.ASCII = some(l.ASCII.String())
	}
	if l.Assumed {
		j.Assumed = some(l.URL.Scheme())
	}
	if x.context {
		j.Context = shape.Present(l.Context, true)
	}
	return j
}

// some returns the text s for JSON. For an empty text, it returns nil.
func some(s string) *shape.Text { return shape.Present(s, s != "") }

// lines appends the link l to b as lines of text. Each line begins with the prefix file.
func (x *extractor) lines(b []byte, file string, l *document.Link) []byte {
	first := l.URL.String()
	if l.URL.IsZero() {
		first = l.Ref
	}
	if l.URL.IsZero() || x.a.OutTTY {
		// A URL contains no control characters, but some other characters could affect a terminal.
		first = x.shown(first)
	}
	b = x.line(b, file, l.Member, first)
	if !l.Alternative.IsZero() {
		b = x.line(b, file, l.Member, x.shown(l.Alternative.String()))
	}
	if x.context {
		b = fmt.Appendf(b, "  %d: %s\n", l.Line, term.Safe(strings.TrimSpace(l.Context)))
	}
	return b
}

func (x *extractor) line(b []byte, file, member, written string) []byte {
	if x.prefix {
		b = append(b, file...)
		if member != "" {
			b = append(append(b, x.shown(member)...), ':')
		}
	}
	return append(append(b, written...), '\n')
}

// shown returns the text s, which comes from a document or directory, as one line.
func (x *extractor) shown(s string) string {
	if x.a.OutTTY || strings.IndexByte(s, '\n') >= 0 || strings.IndexByte(s, '\r') >= 0 {
		return term.Safe(s)
	}
	return s
}
