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
	// ErrBinary: it is no text, and nothing that holds texts.
	ErrBinary = errors.New("binary, and no text to look into")
	// ErrLimit: a limit of [Options] was reached.
	ErrLimit = errors.New("limit reached")
)

// Options say what to look for, and what it may cost. The zero Options, and nil,
// are sensible.
type Options struct {
	// Extract is what package extract looks for.
	Extract extract.Options
	// Hidden: look for URLs also where the reader of a document sees none: in comments,
	// scripts, style sheets and declarations of HTML, and in attributes that hold no URL.
	// Plain text hides nothing.
	Hidden bool
	// Type is the media type of the text, if it is known: "text/markdown". One that is
	// not known here is that of plain text. What the text is compressed or archived in
	// is opened all the same, if the first octets show that it is. Empty: the name and
	// the content tell.
	Type string
	// Context: fill in [Link.Context].
	Context bool
	// NoPosition: [Link.Line] and [Link.Column] are 0, which takes less time than to
	// count them. With Context they are counted all the same.
	NoPosition bool
	// Binary: read as plain text what would be [ErrBinary].
	Binary bool

	// Depth is how many containers may be in each other; 0: 8. A compressed archive
	// counts as two.
	Depth int
	// Unpacked is the most octets that all containers of a document may give, taken
	// together; 0: 4 GiB.
	Unpacked int64
	// Members is the most members that all containers of a document may have, taken
	// together; 0: 1,000,000.
	Members int
	// Held is the most octets that are held in memory at once of what can't be read
	// piece by piece: a text with markup, a message, a zip archive within another
	// container; 0: 64 MiB. A larger text is read as plain text, in constant memory.
	Held int64
}

func (o *Options) orDefault() Options {
	var r Options
	if o != nil {
		r = *o
	}
	r.Depth = cmp.Or(r.Depth, 8)
	r.Unpacked = cmp.Or(r.Unpacked, 4<<30)
	r.Members = cmp.Or(r.Members, 1_000_000)
	r.Held = cmp.Or(r.Held, 64<<20)
	return r
}

// Link is a URL, or a partial form, of a document.
type Link struct {
	// Match is what was found. Its offsets are those of the text that it was read
	// from: the document itself, or what a container gives.
	extract.Match
	// Ref is the partial form (URI draft, "Partial (relative) form") that a document with
	// markup has where a URL may be; URL is then zero. Base is the base that the document
	// states for it, as it is written; empty: the document's own.
	Ref, Base string
	// Element is where in an HTML document it is: the element and the attribute, as in
	// "a href".
	Element string
	// ASCII is the URL that an IRI ([extract.Match.IRI]) stands for: its host in ASCII
	// form (RFC 5891), all else with escapes (RFC 3987 section 3.1). It is zero if there
	// has no such form, because its host cannot be one, and for a URL that is not an IRI.
	ASCII locus.URL
	// Line and Column are where it starts in that text, as [extract.Position] has it.
	Line, Column int64
	// Context is the line of the text that it starts on, or what is near it if the
	// line is long. It is as it was written: whoever writes to a terminal filters it.
	Context string
	// Member is the part of a container that the text is: "docs/a.html" of an
	// archive, "2" of a message, "header" of a message's header, "17" of an mbox,
	// "old.tar/docs/a.html" of one within another. It is a label, and no name to make
	// a file with. Empty: the document itself.
	Member string
	// Type is the media type that the text was read as.
	Type string
}

// Error is something in a document that can't be read.
type Error struct {
	Name   string // of the document
	Member string // as in [Link]; empty: the document itself
	Err    error
}

// Error returns what can't be read and why.
func (e *Error) Error() string {
	text := e.Name
	if e.Member != "" {
		text += ": " + e.Member
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Links returns the URLs of the document that r gives, in order, and the partial
// forms where its type has some. name is what the document is called: its end may
// tell the type, and it is in errors; it may be empty.
//
// Every error is an [*Error], about what can't be read: with it comes no link, and
// the links of what can be read go on. A file that ends too early, a member that is
// damaged, one that is no text ([ErrBinary]) are such errors; after one that r
// returns nothing follows.
//
// If r is an [io.ReaderAt] and an [io.Seeker] as well, as a file is, a zip archive or a
// message is read in place.
//
// The links can be ranged over once: a second loop yields one [*Error], of [ErrUsed].
func Links(r io.Reader, name string, o *Options) iter.Seq2[Link, error] {
	var used atomic.Bool
	return func(yield func(Link, error) bool) {
		if used.Swap(true) {
			yield(Link{}, &Error{Name: name, Err: ErrUsed})
			return
		}
		f := &finder{o: o.orDefault(), name: name, yield: yield}
		f.left, f.members = f.o.Unpacked, f.o.Members
		f.find(item{r: r, file: asFile(r), name: name, typ: f.o.Type})
	}
}

// ErrUsed is the error of a second loop over the links of a document.
var ErrUsed = errors.New("the document has been read already; call Links again with a new reader")

// file is what can be read in place.
type file interface {
	io.ReaderAt
	io.Seeker
}

// asFile returns r if it can be read in place; else nil.
func asFile(r io.Reader) file {
	f, _ := r.(file)
	return f
}

// inPlace returns what the file of an item has, if it is one of which n octets were
// read; else nil.
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
	// Some that say that they are empty are not, as under /proc.
	if _, err := it.file.Seek(at, io.SeekStart); err != nil || end < at {
		return nil
	}
	start := at - int64(n)
	return io.NewSectionReader(it.file, start, end-start)
}

// isWaited reports whether an item is one that somebody may write to while others
// wait for what is in it.
func (it item) isWaited() bool {
	if it.file == nil {
		return true
	}
	_, err := it.file.Seek(0, io.SeekCurrent)
	return err != nil
}
