package relative

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// Ref is a reference in a document: a relative reference or an absolute URL. It is an
// immutable value, and == compares the texts. The zero Ref is the empty form, which
// means the document itself.
type Ref struct {
	// u is the URL if the form is absolute. Otherwise u is the form with the prefix placeholder, so
	// that absolute and relative forms are split by the same rules.
	u        locus.URL
	absolute bool
	// slash is the offset in u of the "/" that the text lacks, or 0 if it lacks none.
	slash int
}

// placeholder is the scheme of relative references. It is not a letter, because a letter
// before "\" makes a Windows path.
const placeholder = "0:"

// MaxLen is the length of the longest relative reference, in octets.
const MaxLen = locus.MaxLen - len(placeholder)

// Parse reads a relative reference or a URL. It does not change the text: String returns
// it. It rejects the same faults as [locus.Parse]. The error is a [*locus.SyntaxError].
//
// In RFC 3986 section 3.2 a "?" ends the host. [locus.Parse] reads "?" as a part of the user
// if an "@" follows, so that the host of http://h?q=a@b is b. Here the host is h: Parse
// reads such a text as if "/" preceded the "?", and [SlashAdded] notes it.
//
// A form is absolute if it has a ":" before any "/" (URI draft), "?" and "#". A
// relative reference with a ":" in its first segment needs "./" before it (RFC 3986 section
// 4.2).
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

// MustParse is like [Parse] for texts that are known to be valid. It panics if Parse fails.
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

// explain adds to an error about a missing scheme how to write a relative reference.
func explain(text string, err error) error {
	var e *locus.SyntaxError
	if !errors.As(err, &e) || !errors.Is(err, locus.ErrNoScheme) {
		return err
	}
	return locus.NewSyntaxError(text, e.Offset, e.Part,
		fmt.Errorf(`%w; write "./" before a relative reference with ":" in its first segment`, e.Err))
}

// FromURL returns u as an absolute form. The zero URL gives the zero Ref.
func FromURL(u locus.URL) Ref { return Ref{u: u, absolute: !u.IsZero()} }

// String returns the text exactly as parsed, including the password.
// Messages and logs must use [Ref.Shown].
func (r Ref) String() string {
	text := r.u.String()
	if r.slash > 0 {
		text = text[:r.slash] + text[r.slash+1:]
	}
	return r.trim(text)
}

// Shown returns the text with "***" for a password that is not empty, and with the "/"
// that [Parse] added.
func (r Ref) Shown() string { return r.trim(r.u.Shown()) }

// Format writes [Ref.Shown], as [locus.URL.Format] does.
func (r Ref) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), r.Shown())
}

// LogValue returns [Ref.Shown] as a value, so no password reaches a log.
func (r Ref) LogValue() slog.Value { return slog.StringValue(r.Shown()) }

func (r Ref) trim(text string) string {
	if r.absolute {
		return text
	}
	return strings.TrimPrefix(text, placeholder)
}

// URL returns the URL if r is absolute, with the "/" that [Parse] added. ok is false if r is a relative reference.
func (r Ref) URL() (u locus.URL, ok bool) {
	if !r.absolute {
		return locus.URL{}, false
	}
	return r.u, true
}
