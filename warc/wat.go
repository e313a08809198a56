package warc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/locus-url/locus/internal/jsonpath"
)

// IsFirstLine reports whether a file that begins with the given line is an archive. The
// line is from a decompressed file and must not include the newline.
func IsFirstLine(line []byte) bool {
	return bytes.HasPrefix(line, []byte("WARC/")) || isARC(string(line))
}

// WAT is the description of another record in a WAT file. It contains properties of the
// record, and the links in its page.
type WAT struct {
	Type  string // type of the described record, in lower case; empty if unknown
	Base  string // base URL in the page; empty if there is no base URL
	Links []WATLink
}

// WATLink is a link in a page.
type WATLink struct {
	URL  string // URL as written in the page, possibly relative
	Path string // the element and the attribute, such as "A@/href"
	// Start and End are the offsets of the URL in the text. The offsets do not include the
	// quotes.
	Start, End int
}

var (
	watType = jsonpath.Names("Envelope", "WARC-Header-Metadata", "WARC-Type")
	watARC  = jsonpath.Names("Envelope", "ARC-Header-Metadata")
	watPage = jsonpath.Names("Envelope", "Payload-Metadata", "HTTP-Response-Metadata", "HTML-Metadata")

	watBase  = jsonpath.Names("Head", "Base")
	watLists = []jsonpath.Path{jsonpath.Names("Head", "Link"), jsonpath.Names("Head", "Scripts"), jsonpath.Names("Scripts"), jsonpath.Names("Links")}

	watURL  = jsonpath.Names("url")
	watFrom = jsonpath.Names("path")
)

// WATType returns the type of the record that a metadata record in a WAT file describes, in
// lower case. The text is the block of the metadata record, in JSON. If the block does not
// describe a record, WATType returns "".
func WATType(text []byte) (string, error) {
	typ, _, err := findValue(text, watType)
	if err != nil || typ != nil {
		return strings.ToLower(string(unquote(typ))), err
	}
	if arc, _, _ := findValue(text, watARC); arc != nil {
		return "response", nil
	}
	return "", nil
}

// ReadWAT reads the block of a metadata record in a WAT file. If the block does not describe a
// record, the returned WAT is zero. If the block is not JSON, ReadWAT returns an error.
func ReadWAT(text []byte) (w WAT, err error) {
	if w.Type, err = WATType(text); err != nil {
		return w, err
	}
	page, offset, _ := findValue(text, watPage)
	if page == nil {
		return w, nil
	}
	base, _, _ := findValue(page, watBase)
	w.Base = string(unquote(base))
	for _, path := range watLists {
		list, at, _ := findValue(page, path)
		w.addLinks(list, offset+at)
	}
	return w, nil
}

// addLinks adds the links in a JSON list. The parameter offset is the offset of the list in
// the text.
func (w *WAT) addLinks(list []byte, offset int) {
	for start, end := range jsonpath.Elements(list) {
		element := list[start:end]
		url, at, _ := findValue(element, watURL)
		text := unquote(url)
		if len(text) == 0 {
			continue
		}
		path, _, _ := findValue(element, watFrom)
		at += offset + start + 1
		w.Links = append(w.Links, WATLink{URL: string(text), Path: string(unquote(path)), Start: at, End: at + len(url) - len(`""`)})
	}
}

// findValue returns the value at path in a JSON text, and the offset of the value. If there is
// no such value, findValue returns nil.
func findValue(text []byte, path jsonpath.Path) (value []byte, offset int, err error) {
	start, end, err := path.Find(text)
	switch {
	case errors.Is(err, jsonpath.ErrMissing):
		return nil, 0, nil
	case err != nil:
		return nil, 0, fmt.Errorf("warc: metadata: %w", err)
	}
	return text[start:end], start, nil
}

// unquote returns the text of a JSON string. It returns nil for other values and for text that
// is not UTF-8.
func unquote(value []byte) []byte {
	if len(value) == 0 || value[0] != '"' {
		return nil
	}
	text, err := jsonpath.Unquote(nil, value)
	if err != nil {
		return nil
	}
	return text
}
