package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/internal/walk"
)

// extracting is one run of "locus extract".
type extracting struct {
	a                *app
	recursive        bool
	as               string
	unique, context  bool
	partial          bool
	schemes, hosts   []string
	noIgnore, hidden bool
	o                document.Options
	prefix           bool        // the name of the file stands before each URL
	free             chan []byte // buffers that were written
}

func newExtract(a *app) *cobra.Command {
	x := &extracting{a: a}
	cmd := &cobra.Command{
		Use:   "extract [FILE...]",
		Short: "Write the URLs that are in texts and documents",
		Long: `Write the URLs that are in files, one a line, in the order in which they are there:
in the wrappers of RFC 1738 ("<URL:...>", over line breaks and page breaks too),
between "<" and ">", and bare. Without a FILE, or for "-", that is standard input,
which is the text itself.

Read are plain text and source code, Markdown, HTML, CSS, mail and mboxes, and what
is compressed (gzip, bzip2, xz, zstd, compress) or in tar and zip archives; the name
and the first octets tell which. --as TYPE says it: "text", "markdown", "html",
"mail", "mbox", or a media type. Standard input is text unless --as says otherwise.
A binary file is not read, but for --as text.

With several files or -r, the file's name and ":" stand before each URL; in a
container, its member and ":" too. A URL that is broken after a hyphen has two
readings, with it and without; both are written.

A URL with characters that are not US-ASCII is written as it is. With --json, "iri"
marks it, and "ascii" is the URL that it stands for, with a host that name servers know.

--schemeless also finds names such as www.example.org, and mail addresses, as GitHub
does. They are written with the scheme http or mailto; with --json, "assumed" is that
scheme.

-r reads all files of folders, but hidden ones and those that .gitignore and .ignore
leave out, as ripgrep does. The status is 1 if there is no URL, and 3 if something
could not be read; the rest is read all the same.`,
		Example: `  printf 'It is at <URL:ftp://ds.in\n  ternic.net/rfc>.\n' | locus extract -
  locus extract -r --unique --scheme ftp,gopher .`,
		RunE: func(_ *cobra.Command, args []string) error { return x.run(args) },
	}
	f := cmd.Flags()
	f.BoolVarP(&x.recursive, "recursive", "r", false, "read all files of folders; without a FILE, of this one")
	f.StringVar(&x.as, "as", "", "read every text as `TYPE`")
	f.BoolVar(&x.unique, "unique", false, "write each URL once, where it is first")
	f.BoolVar(&x.context, "context", false, "write below each URL the line that it is on")
	f.BoolVar(&x.partial, "partial", false, "write the partial forms of Markdown, HTML and CSS too")
	f.BoolVar(&x.o.Extract.Schemeless, "schemeless", false, "find \"www.\" names and mail addresses too")
	f.StringSliceVar(&x.schemes, "scheme", nil, "look for URLs of this `SCHEME` alone (may be given again)")
	f.StringSliceVar(&x.hosts, "host", nil, "write URLs of this `HOST` alone, \"*.DOMAIN\" for all below (may be given again)")
	f.BoolVar(&x.noIgnore, "no-ignore", false, "with -r: read what .gitignore and .ignore leave out")
	f.BoolVar(&x.hidden, "hidden", false, "with -r: read hidden files")
	return cmd
}

// shortTypes are the types that have a short name.
var shortTypes = map[string]string{
	"text": "text/plain", "markdown": "text/markdown", "html": "text/html", "mail": "message/rfc822", "mbox": "application/mbox",
}

// prepare checks what was asked for.
func (x *extracting) prepare() error {
	x.o.Type = shortTypes[x.as]
	if x.as != "" && x.o.Type == "" {
		if x.o.Type = x.as; !strings.Contains(x.as, "/") {
			return usageError(`no type %q; there is text, markdown, html, mail, mbox, and any media type`, x.as)
		}
	}
	for i, name := range x.schemes {
		x.schemes[i] = strings.ToLower(strings.TrimSuffix(name, ":"))
	}
	for i, host := range x.hosts {
		x.hosts[i] = strings.ToLower(host)
	}
	x.o.Extract.Schemes = x.a.registry.InText()
	if len(x.schemes) > 0 {
		x.o.Extract.Schemes, x.o.SchemesOnly = extract.Named(extract.Any, x.schemes...), true
	}
	x.o.Context = x.context
	x.o.NoPosition = !x.context && !x.a.flags.json
	x.o.Unpacked = x.a.flags.maxSize
	return nil
}

// run extracts from each of args.
func (x *extracting) run(args []string) error {
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
	if x.a.ctx.Err() == nil && found == 0 && !x.a.broken() {
		x.a.raise(statusNo)
	}
	return nil
}

// walkOptions are what is listed of folders.
func (x *extracting) walkOptions() *walk.Options {
	return &walk.Options{NoIgnore: x.noIgnore, Hidden: x.hidden, Global: walk.GlobalIgnore(x.a.env)}
}

// wants reports whether a link is one that was asked for.
func (x *extracting) wants(l *document.Link) bool {
	if l.URL.IsZero() {
		return x.partial && len(x.hosts) == 0 && len(x.schemes) == 0
	}
	if len(x.schemes) > 0 && !slices.Contains(x.schemes, l.URL.Scheme()) {
		// The prefix "URL:" stands before URLs of any scheme.
		return false
	}
	return len(x.hosts) == 0 || slices.ContainsFunc(x.hosts, func(host string) bool {
		return onHost(l.URL.Host(), host) || l.IRI && onHost(l.ASCII.Host(), host)
	})
}

// onHost reports whether host is the one of that name, or for "*.domain" of that
// domain.
func onHost(host, name string) bool {
	host = strings.ToLower(host)
	if domain, ok := strings.CutPrefix(name, "*"); ok {
		return strings.HasSuffix(host, domain)
	}
	return host == name
}

// linkJSON is a URL that was found, as the command promises it.
type linkJSON struct {
	File        text  `json:"file"`
	URL         *text `json:"url"` // null: a partial form
	Start       int64 `json:"start"`
	End         int64 `json:"end"`
	Line        int64 `json:"line"`
	Column      int64 `json:"column"`
	Form        text  `json:"form"`
	Alternative *text `json:"alternative"` // the reading without a hyphen that was before a line break
	Member      *text `json:"member"`      // of a container
	Type        text  `json:"type"`        // of the text
	Element     *text `json:"element"`     // of HTML: "a href"
	Partial     *text `json:"partial,omitempty"`
	Base        *text `json:"base,omitempty"`    // that the document states for it
	IRI         bool  `json:"iri,omitempty"`     // it has characters that are not US-ASCII
	ASCII       *text `json:"ascii,omitempty"`   // the URL that an IRI stands for; absent: none
	Assumed     *text `json:"assumed,omitempty"` // the scheme, if the text does not have it
	Context     *text `json:"context,omitempty"`
}

// object is l as JSON.
func (x *extracting) object(file string, l *document.Link) linkJSON {
	j := linkJSON{
		File: text(file), Start: l.Start, End: l.End, Line: l.Line, Column: l.Column, Form: text(l.Form.String()),
		URL: some(l.URL.String()), Alternative: some(l.Alternative.String()), Member: some(l.Member), Type: text(l.Type), Element: some(l.Element),
		Partial: some(l.Ref), Base: some(l.Base),
	}
	if j.IRI = l.IRI; j.IRI {
		j.ASCII = some(l.ASCII.String())
	}
	if l.Assumed {
		j.Assumed = some(l.URL.Scheme())
	}
	if x.context {
		j.Context = present(l.Context, true)
	}
	return j
}

// some is a text as JSON: null if it is empty.
func some(s string) *text { return present(s, s != "") }

// lines appends l as lines for people and for other programs. file is what stands
// before them.
func (x *extracting) lines(b []byte, file string, l *document.Link) []byte {
	first := l.URL.String()
	if l.URL.IsZero() {
		first = l.Ref
	}
	b = x.line(b, file, l.Member, first)
	if !l.Alternative.IsZero() {
		b = x.line(b, file, l.Member, l.Alternative.String())
	}
	if x.context {
		b = fmt.Appendf(b, "  %d: %s\n", l.Line, term.Safe(strings.TrimSpace(l.Context)))
	}
	return b
}

func (x *extracting) line(b []byte, file, member, written string) []byte {
	if x.prefix {
		b = append(b, file...)
		if member != "" {
			b = append(append(b, x.shown(member)...), ':')
		}
	}
	return append(append(b, x.shown(written)...), '\n')
}

// fileName returns what stands before what is in a file.
func (x *extracting) fileName(name string) string {
	if !x.prefix {
		return ""
	}
	return x.shown(name) + ":"
}

// shown returns what a document or a folder has as it is written. A line is one,
// whatever is in it.
func (x *extracting) shown(s string) string {
	if x.a.outTTY || strings.IndexByte(s, '\n') >= 0 || strings.IndexByte(s, '\r') >= 0 {
		return term.Safe(s)
	}
	return s
}
