package document

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"sync/atomic"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
)

var (
	// ErrBinary: the file is neither a text nor a container.
	ErrBinary = errors.New("binary file")
	// ErrLimit: a limit of [Options] was reached.
	ErrLimit = errors.New("limit reached")
)

// Options say what to look for, and what it may cost. Nil means the zero Options.
type Options struct {
	// Extract is for the running text. With Borrow, each link of a document is valid only
	// until the next one.
	Extract extract.Options
	// SchemesOnly: leave out links of other schemes than Extract.Schemes. Otherwise those
	// of a text with markup are of any scheme.
	SchemesOnly bool
	// Hidden: look for URLs also where the reader of a document sees none: in comments,
	// scripts, style sheets and declarations of HTML, in attributes that hold no URL, and
	// in the texts of links.
	// Plain text hides nothing.
	Hidden bool
	// NoCode: leave out the URLs in code: code spans and blocks of Markdown, and the running
	// text of the HTML elements code, pre, samp and kbd.
	NoCode bool
	// Wikilinks: report "[[Page]]", "[[Page#Heading|text]]" and "![[file.png]]" of Markdown.
	// The page and the heading are the Ref, with their blanks; Element is "wikilink".
	Wikilinks bool
	// Templates: report a destination of Markdown that is an action of a template, as in
	// "[text]({{< ref "page" >}})", which has no other form, and a URL in the running text of
	// a document with markup that goes on with a placeholder, as in "http://host/{{ name }}".
	// The action or the whole template is the Ref; Element is "template" for the second.
	// In reStructuredText, report the roles and directives that only Sphinx resolves: :doc:,
	// :download: and the entries of toctree with the Element "doc", :ref: with "ref".
	// Without Templates, these are left out. The attribute that th:href or th:src of Thymeleaf
	// replaces has the Element "template", too.
	Templates bool
	// Type is the media type of the text: "text/markdown". An unknown type is read as
	// plain text. Compressed files and archives that show in the first octets are
	// unpacked all the same. Empty: the name and the content decide.
	Type string
	// Context: fill in [Link.Context].
	Context bool
	// NoPosition: leave [Link.Line] and [Link.Column] 0, which saves time. Context
	// overrides it.
	NoPosition bool
	// Parts, if it is not nil, gets the links of a long file of plain text, part by part,
	// instead of the loop over [Links]. Different goroutines may range over the parts at
	// the same time, also after Links has returned. A part can be ranged over once.
	// If Parts returns false, Links returns.
	Parts func(iter.Seq2[Link, error]) (more bool)

	// Depth is how deep containers may be nested; 0: 8. A compressed archive counts as
	// two.
	Depth int
	// Unpacked is the most octets that all containers of a document may hold together;
	// 0: 4 GiB.
	MaxUnpacked int64
	// Members is the most members that all containers of a document may have together;
	// 0: 1,000,000.
	MaxMembers int
	// Held is the most octets of a text with markup, of a message, or of a zip archive
	// within another container that are held in memory; 0: 64 MiB. A larger text is read
	// as plain text.
	MaxBuffered int64
}

func (o *Options) orDefault() Options {
	var r Options
	if o != nil {
		r = *o
	}
	r.NoPosition = r.NoPosition && !r.Context
	r.Depth = cmp.Or(r.Depth, 8)
	r.MaxUnpacked = cmp.Or(r.MaxUnpacked, 4<<30)
	r.MaxMembers = cmp.Or(r.MaxMembers, 1_000_000)
	r.MaxBuffered = cmp.Or(r.MaxBuffered, 64<<20)
	return r
}

// Link is a URL, or a partial form, of a document.
type Link struct {
	// Match has the offsets of the text that it was read from: the document itself, or
	// the member of a container.
	extract.Match
	// Ref is the partial form (URI draft, "Partial (relative) form") that a document with
	// markup has where a URL may be; URL is then zero. Base is the base that the document
	// states for it, as it is written; in a web archive, the URL of its page or what that
	// makes of it; empty: the document's own.
	Ref, Base string
	// Element is where in an HTML document it is: the element and the attribute, as in
	// "a href". Some links of other formats have one too: "wikilink" and "external" of
	// Markdown, "xref" of AsciiDoc, "include" of AsciiDoc and reStructuredText, "template".
	Element string
	// ASCII is the URL of an IRI ([extract.Match.IRI]): its host in ASCII form (RFC
	// 5891), the rest with escapes (RFC 3987 section 3.1). It is zero if the host has no
	// such form, and for a URL that is not an IRI.
	ASCII locus.URL
	// Line and Column are where it starts in that text, as [extract.Position] has it.
	Line, Column int64
	// Context is the line of the text that it starts on, or the part near it if the
	// line is long. It may hold control characters.
	Context string
	// Member is the label of the member of a container: "docs/a.html" in an archive, "2"
	// of a message, "header" of a message's header, "17" of an mbox,
	// "old.tar/docs/a.html" if nested, the URL of a page in a web archive. It is not safe as the name of a file. Empty: the
	// document itself.
	Member string
	// Type is the media type that the text was read as.
	Type string
}

// Error is a part of a document that cannot be read.
type Error struct {
	Name   string // of the document
	Member string // as in [Link]; empty: the document itself
	Err    error
}

// Error returns the name, the member and the reason.
func (e *Error) Error() string {
	text := e.Name
	if e.Member != "" {
		text += ": " + e.Member
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Links returns the URLs of the document that r reads, in order, and the partial forms of
// texts with markup. name is the name of the document, for its type and for errors; it may
// be empty. A document of the name "-" is also read as Markdown or HTML if it has a link that
// only these know.
//
// Every error is an [*Error] and comes without a link: for a file that ends too early, a
// damaged member, a binary one ([ErrBinary]). The rest of the document follows, unless r
// itself failed.
//
// If r is an [io.ReaderAt] and an [io.Seeker] as well, as a file is, a zip archive or a
// message is read in place.
//
// The result can be ranged over once: a second loop yields one [*Error], of [ErrUsed].
func Links(r io.Reader, name string, o *Options) iter.Seq2[Link, error] {
	var used atomic.Bool
	return func(yield func(Link, error) bool) {
		if used.Swap(true) {
			yield(Link{}, &Error{Name: name, Err: ErrUsed})
			return
		}
		f := &finder{o: o.orDefault(), name: name, yield: yield}
		f.left, f.members = f.o.MaxUnpacked, f.o.MaxMembers
		whole, _ := r.(file)
		f.find(item{r: r, file: whole, name: name, typ: f.o.Type})
	}
}

// ErrUsed is the error of a second loop over the result of [Links].
var ErrUsed = errors.New("the document has been read already; call Links again with a new reader")

// file can be read in place.
type file interface {
	io.ReaderAt
	io.Seeker
}

// inPlace returns the content of an item that is a file, of which n octets were read. It
// returns nil if the item is not a file.
func (it item) inPlace(n int) *io.SectionReader {
	if it.file == nil {
		return nil
	}
	at, err := it.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	end, err := it.file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil
	}
	// Files under /proc say that they are empty, and are not.
	if _, err := it.file.Seek(at, io.SeekStart); err != nil || end < at {
		return nil
	}
	start := at - int64(n)
	return io.NewSectionReader(it.file, start, end-start)
}

// isWaited reports whether an item may be a pipe that another program still writes to.
func (it item) isWaited() bool {
	if it.file == nil {
		return true
	}
	_, err := it.file.Seek(0, io.SeekCurrent)
	return err != nil
}
