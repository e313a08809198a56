package lines

import "errors"

// SkipLine is the error of [Finder.Find] for a line that has no URL and needs none, such as
// the header of a CDX file. It is not a failure: the line stays as it is.
var SkipLine = errors.New("the line has no URL")

// Finder finds the URL in a line. A nil Finder takes the whole line. It may be used
// concurrently.
type Finder struct{}

// Find returns where in line the URL is written. line has no line end. The error is
// [SkipLine] or says what the line lacks.
func (f *Finder) Find(line []byte) (start, end int, err error) { return 0, len(line), nil }

// Decode returns the URL that is written as text, where Find found it. The result shares
// memory with text, or with buf if text has escapes or quotes.
func (f *Finder) Decode(buf, text []byte) ([]byte, error) { return text, nil }

// Append appends a URL as it is written in place of what Find found.
func (f *Finder) Append(dst []byte, url string) []byte { return append(dst, url...) }
