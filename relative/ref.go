package relative

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// Ref is a reference in a document: a relative reference or an absolute URL. A Ref is immutable,
// and == compares the texts. The zero Ref is the empty reference, which refers to the document
// itself.
type Ref struct {
	// u is the URL if the reference is absolute. Otherwise u is the reference with the prefix
	// placeholder, so that the same code splits URLs and relative references.
	u        locus.URL
	absolute bool
	// slash is the offset in u of a "/" that the text does not contain, or 0 if nothing was added.
	slash int
}

// placeholder is used as the scheme of a relative reference. The name of this scheme is not a
// letter, because a letter and ":" before "\" are the drive of a Windows path.
const placeholder = "0:"

// MaxLen is the maximum length of a relative reference in bytes.
const MaxLen = locus.MaxLen - len(placeholder)

// Parse parses a relative reference or a URL. Parse does not change the text, so String returns
// the original text. Parse rejects the same syntax errors as [locus.Parse], and returns a
// [*locus.SyntaxError].
//
// In RFC 3986 section 3.2, a "?" ends the host. In contrast, [locus.Parse] treats "?" as a part of
// the user name if an "@" follows, so the host in http://h?q=a@b is b. For Parse, the host is h:
// it parses such a text as if "/" preceded the "?", and Resolve reports [SlashAdded].
//
// A reference is absolute if it contains a ":" before the first "/" (URI draft), "?" or "#". A
// relative reference with a ":" in its first segment must begin with "./" (RFC 3986 section 4.2).
func Parse(text string) (Ref, error) {
	at, disputed := octet.HostEnd(text)
	if !disputed {
		return parse(text)
	}
	r, err := parse(text[:at] + "/" + text[at:])
	if e := (*locus.SyntaxError)(nil); errors.As(err, &e) {
		if e.Offset > at {
			e.Offset--
		}
		return Ref{}, locus.NewSyntaxError(text, e.Offset, e.Part, e.Err)
	}
	if r.slash = at; !r.absolute {
		r.slash += len(placeholder)
	}
	return r, nil
}

// parse implements [Parse] with the rules of [locus.Parse].
func parse(text string) (Ref, error) {
	switch {
	case text == "":
		return Ref{}, nil
	case isAbsolute(text):
		u, err := locus.Parse(text)
		return Ref{u: u, absolute: err == nil}, explain(text, err)
	case len(text) > MaxLen:
		return Ref{}, locus.NewSyntaxError(text, MaxLen, "relativeref",
			fmt.Errorf("%w: %d bytes, the limit of a relative reference is %d", locus.ErrTooLong, len(text), MaxLen))
	}
	u, err := locus.Parse(placeholder + text)
	var e *locus.SyntaxError
	if errors.As(err, &e) {
		return Ref{}, locus.NewSyntaxError(text, e.Offset-len(placeholder), e.Part, e.Err)
	}
	return Ref{u: u}, nil
}

// MustParse is like [Parse], but panics if the text is invalid. Use it for texts that are known to
// be valid.
func MustParse(text string) Ref {
	r, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return r
}

func isAbsolute(text string) bool {
	i := strings.IndexAny(text, ":/?#")
	return i >= 0 && text[i] == ':'
}

// explain extends an error about a missing scheme with advice on how to write a relative
// reference.
func explain(text string, err error) error {
	var e *locus.SyntaxError
	if !errors.As(err, &e) || !errors.Is(err, locus.ErrNoScheme) {
		return err
	}
	return locus.NewSyntaxError(text, e.Offset, e.Part,
		fmt.Errorf(`%w; write "./" before a relative reference with ":" in its first segment`, e.Err))
}

// FromURL returns the URL u as an absolute Ref. For the zero URL, it returns the zero Ref.
func FromURL(u locus.URL) Ref { return Ref{u: u, absolute: !u.IsZero()} }

// String returns the original text, including a password. Messages and logs must use [Ref.Shown]
// instead.
func (r Ref) String() string {
	text := r.u.String()
	if r.slash > 0 {
		text = text[:r.slash] + text[r.slash+1:]
	}
	return r.trim(text)
}

// Shown returns the text with "***" instead of a password, unless the password is empty. The text
// includes the "/" that [Parse] added.
func (r Ref) Shown() string { return r.trim(r.u.Shown()) }

// Format writes the text that [Ref.Shown] returns. Format supports the same verbs as
// [locus.URL.Format].
func (r Ref) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), r.Shown())
}

// LogValue returns the text of [Ref.Shown] as a log value, so that no password reaches a log.
func (r Ref) LogValue() slog.Value { return slog.StringValue(r.Shown()) }

func (r Ref) trim(text string) string {
	if r.absolute {
		return text
	}
	return strings.TrimPrefix(text, placeholder)
}

// URL returns the URL in r, including the "/" that [Parse] added. If r is a relative reference, ok
// is false.
func (r Ref) URL() (u locus.URL, ok bool) {
	if !r.absolute {
		return locus.URL{}, false
	}
	return r.u, true
}
