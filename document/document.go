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
	// ErrBinary means that the file is neither a text nor a container.
	ErrBinary = errors.New("binary file")
	// ErrLimit means that the document exceeds a limit of [Options].
	ErrLimit = errors.New("limit reached")
)

// Options selects the links to report and limits the resources. Nil means the zero Options.
type Options struct {
	// Extract holds the options for running text. With Extract.Borrow, each link is valid
	// only until the loop yields the next link.
	Extract extract.Options
	// SchemesOnly omits links with schemes that are not in Extract.Schemes. Without it, links
	// in markup may have any scheme.
	SchemesOnly bool
	// Hidden also reports URLs that a reader of the document does not see: in HTML comments,
	// scripts, style sheets and declarations, in attributes without a URL type, and in link
	// texts. It does not apply to plain text.
	Hidden bool
	// NoCode omits URLs in code: in Markdown code spans and blocks, and in the HTML elements
	// code, pre, samp and kbd.
	NoCode bool
	// Wikilinks reports the Markdown links "[[Page]]", "[[Page#Heading|text]]" and
	// "![[file.png]]". The Ref is the page and the heading, with their spaces; the Element is
	// "wikilink".
	Wikilinks bool
	// Templates also reports links that a template language or Sphinx completes:
	//   - A Markdown destination that is a template action, as in
	//     "[text]({{< ref "page" >}})". The Ref is the action.
	//   - In running text of a document with markup, a URL that continues with a placeholder,
	//     as in "http://host/{{ name }}". The Ref is the whole text; the Element is "template".
	//   - In reStructuredText, the Sphinx roles :doc: and :download: and the entries of
	//     toctree, with the Element "doc", and the role :ref:, with the Element "ref".
	//   - The attribute that a Thymeleaf th:href or th:src replaces, with the Element
	//     "template".
	Templates bool
	// Type is the media type of the document, such as "text/markdown". If empty, the name and
	// the content determine the type. Links reads a document with an unknown type as plain
	// text. It always recognizes compressed files and archives by their first bytes.
	Type string
	// Context sets [Link].Context.
	Context bool
	// NoPosition leaves [Link].Line and [Link].Column zero, which saves time. Context
	// overrides it.
	NoPosition bool
	// Parts receives the links of a long plain text file, part by part. The loop over
	// [Links] does not yield these links. Different goroutines may range over the parts
	// concurrently, even after Links has returned. A part can be ranged over once. If Parts
	// returns false, the iteration ends. If nil, the loop yields all links.
	Parts func(iter.Seq2[Link, error]) (more bool)

	// Depth is the maximum depth of nested containers. A compressed archive counts as two.
	// Zero means 8.
	Depth int
	// MaxUnpacked is the maximum number of bytes in all containers of a document together.
	// Zero means 4 GiB.
	MaxUnpacked int64
	// MaxMembers is the maximum number of members in all containers of a document together.
	// Zero means 1,000,000.
	MaxMembers int
	// MaxBuffered is the maximum number of bytes of a text with markup, a message or a
	// nested zip archive that Links holds in memory. A longer text is read as plain text.
	// Zero means 64 MiB.
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

// Link is a URL or a relative reference in a document.
type Link struct {
	// Match holds the form of the link and its offsets in the text: the document itself, or
	// the member of a container.
	extract.Match
	// Ref is the text of a relative reference in markup (URI draft, "Partial (relative)
	// form"); URL is then zero. Base is the base URL that the document declares, as written.
	// In a web archive, Base is resolved against the URL of the page. If the page declares no
	// base URL, Base is the URL of the page. If Base is empty, the base is the URL of the
	// document.
	Ref, Base string
	// Element is the HTML element and attribute of the link, as in "a href". In other
	// formats, only some links have an Element: "wikilink" and "external" in Markdown,
	// "xref" in AsciiDoc, "include" in AsciiDoc and reStructuredText, and "template".
	Element string
	// ASCII is the URL for an IRI ([extract.Match].IRI): its host is in ASCII form (RFC
	// 5891), and the rest has escapes (RFC 3987 section 3.1). It is zero if the host has no
	// ASCII form, and for a URL that is not an IRI.
	ASCII locus.URL
	// Line and Column are the position of the link in the text; see [extract.Position].
	Line, Column int64
	// Context is the line of the text on which the link starts, or a part of a long line. It
	// may contain control characters.
	Context string
	// Member is the label of the member: "docs/a.html" in an archive, "2" or "header" in a
	// message, "17" in an mbox, the URL of a page in a web archive, "old.tar/docs/a.html" in
	// a nested archive. It must not be used as a file name. It is empty if the link is in the
	// document itself.
	Member string
	// Type is the media type of the text.
	Type string
}

// Error is the error for a document, or a part of a document, that can't be read.
type Error struct {
	Name   string // name of the document
	Member string // label of the member, as in [Link]; empty for the document itself
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

// Links yields the URLs in the document that r reads, in order, and the relative references
// in markup. The name of the document selects its type and appears in errors; it may be
// empty. If the name is "-", a document with a Markdown or HTML link is read as Markdown or
// HTML.
//
// Each error is an [*Error] without a link. Links reports a truncated file, a damaged member
// and a binary file ([ErrBinary]). It then continues with the rest of the document, unless r
// itself failed.
//
// If r also implements [io.ReaderAt] and [io.Seeker], as a file does, Links reads a zip
// archive or a message in place.
//
// The result can be ranged over once. A second loop yields one [*Error], which wraps
// [ErrUsed].
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

// file is a reader with random access.
type file interface {
	io.ReaderAt
	io.Seeker
}

// inPlace returns the whole content of an item that is a file. n bytes of the file were already
// read. If the item is not a file, it returns nil.
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
	// Files under /proc report a size of zero although they have content.
	if _, err := it.file.Seek(at, io.SeekStart); err != nil || end < at {
		return nil
	}
	start := at - int64(n)
	return io.NewSectionReader(it.file, start, end-start)
}

// isWaited reports whether an item may be a pipe. In that case another program may still write to
// it.
func (it item) isWaited() bool {
	if it.file == nil {
		return true
	}
	_, err := it.file.Seek(0, io.SeekCurrent)
	return err != nil
}
