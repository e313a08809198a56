package ftp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// nextListing separates the replies to LIST and NLST in the archived bytes of a menu that
// needed both commands (see unread). It is a NUL, which no listing contains.
const nextListing = "\x00"

// readArchived implements Access.Archived. The archived bytes of a menu are the data that the
// client received over data connections.
func (c *Client) readArchived(u locus.URL, mediaType string, body io.ReadCloser) (scheme.Resource, error) {
	x, err := Parse(u)
	var p plan
	if err == nil {
		p, err = x.plan(c.o.CWD)
	}
	if err != nil {
		body.Close()
		return nil, err
	}
	if p.action == retrieve {
		if mediaType == "" {
			mediaType = media.ByName(x.Name())
		}
		return archived.Object(scheme.Object{URL: u, Name: x.Name(), Type: mediaType}, body), nil
	}
	in := bufio.NewReaderSize(body, maxListingLine)
	verb := p.last(listVerb(in))[0]
	m := &archivedMenu{
		lines:    newListing(in),
		base:     newLinker(x),
		parse:    lineParser(x, p.name, verb, archived.Date(body)),
		nextVerb: lineParser(x, p.name, "NLST", archived.Date(body)),
	}
	if verb == "LIST" {
		m.unread = new(unread)
	}
	return &scheme.Menu{URL: u, Title: bnf.Decode(x.fpath()), Items: m.items, Closer: body}, nil
}

// listVerb returns the command that produced an archived listing. It examines the first
// line: in a reply to MLSD, each fact ends in a semicolon.
func listVerb(in *bufio.Reader) string {
	head, _ := in.Peek(maxListingLine)
	facts, _, ok := bytes.Cut(head, []byte(" "))
	if ok && bytes.HasSuffix(facts, []byte(";")) && bytes.IndexByte(facts, '=') > 0 && !bytes.ContainsAny(facts, "\r\n\t") {
		return "MLSD"
	}
	return "LIST"
}

// archivedMenu reads the items of an archived listing.
type archivedMenu struct {
	lines           *listing
	base            linker
	parse, nextVerb func(text string) (linker, scheme.Item, bool)
	unread          *unread
}

func (m *archivedMenu) items(yield func(scheme.Item, error) bool) {
	for {
		text, err := m.lines.next()
		if err != nil && err != io.EOF {
			yield(scheme.Item{}, fmt.Errorf("ftp: %w", err))
			return
		}
		if err == nil && text == nextListing && m.unread != nil {
			m.unread.names, m.parse = true, m.nextVerb
			continue
		}
		if err == io.EOF {
			m.unread.release()
		} else if base, it, ok := m.parse(text); ok && m.unread.take(it, text) && !yield(base.item(it, text), nil) {
			return
		}
		for {
			text, ok := m.unread.shift()
			if !ok {
				break
			}
			if !yield(m.base.item(unknown(""), text), nil) {
				return
			}
		}
		if err == io.EOF {
			return
		}
	}
}
