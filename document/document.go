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

// Options selects the links to report and limits the use of resources. A nil pointer has the same
// meaning as the zero Options.
type Options struct {
	// Extract holds the options for running text. If Extract.Borrow is set, each link is valid
	// only until the loop yields the next link.
	Extract extract.Options
	// SchemesOnly omits links whose schemes are not in Extract.Schemes. If SchemesOnly is false,
	// links in markup may have any scheme.
	SchemesOnly bool
	// Hidden adds URLs that a reader of the document does not see. Such URLs are in HTML comments,
	// scripts, style sheets and declarations, in attributes that are not defined to contain URLs,
	// and in link texts. Hidden has no effect on plain text.
	Hidden bool
	// NoCode omits URLs in code. Code is in Markdown code spans and code blocks, and in the HTML
	// elements code, pre, samp and kbd.
	NoCode bool
	// Wikilinks adds the Markdown links "[[Page]]", "[[Page#Heading|text]]" and "![[file.png]]".
	// The Ref of such a link contains the page and the heading, including spaces. The Element is
	// "wikilink".
	Wikilinks bool
	// Templates adds links that a template language or Sphinx completes:
	//   - A Markdown destination that is a template action, as in
	//     "[text]({{< ref "page" >}})". The Ref is the action.
	//   - In running text of a document with markup, a URL that continues with a placeholder,
	//     as in "http://host/{{ name }}". The Ref is the whole text; the Element is "template".
	//   - In reStructuredText, the Sphinx roles :doc: and :download: and the entries of
	//     toctree, with the Element "doc", and the role :ref:, with the Element "ref".
	//   - The attribute that a Thymeleaf th:href or th:src replaces, with the Element
	//     "template".
	Templates bool
	// Type is the media type of the document, such as "text/markdown". If Type is empty, the name
	// and the content determine the type. Links reads a document of an unknown type as plain text.
	// Links always recognizes compressed files and archives by their first bytes.
	Type string
	// Context enables the field [Link].Context.
	Context bool
	// NoPosition disables the fields [Link].Line and [Link].Column, which saves time. If Context
	// is set, NoPosition has no effect.
	NoPosition bool
	// Parts is called for each part of a long plain text file, with an iterator over the links in
	// that part. The loop over [Links] does not yield these links. Different goroutines may range
	// over the parts concurrently, even after the loop has ended. A program can range over each
	// part only once. If Parts returns false, the loop ends. If Parts is nil, the loop yields all
	// links.
	Parts func(iter.Seq2[Link, error]) (more bool)

	// Depth is the maximum depth of nested containers. A compressed archive counts as two
	// containers. Zero means 8.
	Depth int
	// MaxUnpacked is the maximum total number of bytes in all containers of a document. Zero means
	// 4 GiB.
	MaxUnpacked int64
	// MaxMembers is the maximum total number of members in all containers of a document. Zero
	// means 1,000,000.
	MaxMembers int
	// MaxBuffered is the maximum number of bytes that Links stores in memory for a text with
	// markup, a message or a nested zip archive. Links reads a longer text as plain text. Zero
	// means 64 MiB.
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
	// Match holds the form of the link and its offsets in the text. The text is the document
	// itself or the member of a container.
	extract.Match
	// Ref is the text of a relative reference in markup, and URL is then zero. Base is the base
	// URL that the document declares, as written. If Base is empty, the base URL is the URL of
	// the document. For a page in a web archive, Base is always an absolute URL. If the page
	// declares a base URL, Base is the declared URL, resolved against the URL of the page.
	// Otherwise Base is the URL of the page.
	Ref, Base string
	// Element is the HTML element and attribute of the link, such as "a href". In other formats,
	// only some links have an Element. The values are "wikilink" and "external" in Markdown,
	// "xref" in AsciiDoc, "include" in AsciiDoc and reStructuredText, and "template".
	Element string
	// ASCII is the ASCII form of an IRI ([extract.Match].IRI). The host is in ASCII form (RFC
	// 5891), and other characters are escaped (RFC 3987 section 3.1). ASCII is zero if the host
	// has no ASCII form, and for a URL that is not an IRI.
	ASCII locus.URL
	// Line and Column are the position of the link in the text. See [extract.Position].
	Line, Column int64
	// Context is the line on which the link starts, or a part of a long line. Context may contain
	// control characters.
	Context string
	// Member is the label of the container member with the link, or "" if the link is in the
	// document itself. Labels are, for example, "docs/a.html" in an archive, "old.tar/docs/a.html"
	// in a nested archive, "2" or "header" in a message, "17" in an mbox, and the URL of a page in
	// a web archive. Callers must not use a label as a file name.
	Member string
	// Type is the media type of the text with the link.
	Type string
}

// Error means that a document, or a part of a document, can't be read.
type Error struct {
	Name   string // name of the document
	Member string // label of the member, as in [Link]; empty for the whole document
	Err    error
}

// Error returns a text with the name, the member and the reason.
func (e *Error) Error() string {
	text := e.Name
	if e.Member != "" {
		text += ": " + e.Member
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Links reads the document in r. Links yields the URLs in the document and the relative references
// in markup, in document order. The name of the document selects the type and appears in errors.
// The name may be empty. The name "-" means standard input. In this case, Links detects Markdown
// and HTML by their links.
//
// Each yielded error is an [*Error], without a link. Links reports truncated files, damaged
// members and binary files ([ErrBinary]). After an error, it continues with the rest of the
// document, unless r itself failed.
//
// If r also implements [io.ReaderAt] and [io.Seeker], as a file does, Links reads zip archives and
// messages without a copy in memory.
//
// A program can range over the result only once. A second loop yields one [*Error], which wraps
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

// ErrUsed means that a program ranged over a result of [Links] a second time.
var ErrUsed = errors.New("the document has been read already; call Links again with a new reader")

// file is a reader with random access.
type file interface {
	io.ReaderAt
	io.Seeker
}

// inPlace returns a reader of the whole content if the item is a file. The parameter n is the
// number of bytes that were already read. If the item is not a file, inPlace returns nil.
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
	// A file under /proc reports the size zero although it has content.
	if _, err := it.file.Seek(at, io.SeekStart); err != nil || end < at {
		return nil
	}
	start := at - int64(n)
	return io.NewSectionReader(it.file, start, end-start)
}

// isWaited reports whether an item may be a pipe to which another program may still write.
func (it item) isWaited() bool {
	if it.file == nil {
		return true
	}
	_, err := it.file.Seek(0, io.SeekCurrent)
	return err != nil
}
