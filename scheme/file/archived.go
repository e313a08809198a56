package file

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
)

// listingType is the media type of a directory listing, which no standard defines. Each line holds
// the kind of an entry, its size or -1, its time or "-", its note and its name. The note and the
// name are quoted Go strings.
const listingType = "text/x-directory-listing"

// maxEntry is the maximum length of a listing line in octets.
const maxEntry = 64 << 10

func writeItem(b *archived.Buffer, item *scheme.Item) {
	if b == nil {
		return
	}
	modified := "-"
	if !item.ModTime.IsZero() {
		modified = item.ModTime.Format(time.RFC3339Nano)
	}
	fmt.Fprintf(b, "%s %d %s %q %q\n", item.Kind, item.Size, modified, item.Note, item.Title)
}

func readItem(text string) (item scheme.Item, err error) {
	fields := strings.SplitN(text, " ", 4)
	if len(fields) < 4 {
		return item, errors.New("an entry needs a kind, a size, a time, a note and a name")
	}
	item.Kind = scheme.ItemKind(fields[0])
	switch item.Kind {
	case scheme.KindObject, scheme.KindMenu, scheme.KindUnknown:
	default:
		return item, fmt.Errorf("invalid entry kind %s", locus.Quote(fields[0]))
	}
	if item.Size, err = strconv.ParseInt(fields[1], 10, 64); err != nil || item.Size < -1 {
		return item, fmt.Errorf("invalid size %s", locus.Quote(fields[1]))
	}
	if fields[2] != "-" {
		if item.ModTime, err = time.Parse(time.RFC3339Nano, fields[2]); err != nil {
			return item, fmt.Errorf("invalid time %s", locus.Quote(fields[2]))
		}
	}
	note, err := strconv.QuotedPrefix(fields[3])
	name, spaced := strings.CutPrefix(fields[3][len(note):], " ")
	if err == nil && spaced {
		item.Note, _ = strconv.Unquote(note)
		item.Title, err = strconv.Unquote(name)
	}
	if err != nil || !spaced || item.Title == "" {
		return item, fmt.Errorf("invalid name %s", locus.Quote(fields[3]))
	}
	return item, nil
}

// readArchived implements Access.Archived.
func (c *Client) readArchived(u locus.URL, mediaType string, body io.ReadCloser) (scheme.Resource, error) {
	long := u
	var err error
	if isShort(u) {
		long, err = fromShort(u)
	}
	var f URL
	if err == nil {
		f, err = Parse(long)
	}
	var name string
	if err == nil {
		name, _, err = f.name(runtime.GOOS == "windows", c.rooted, "")
	}
	if err != nil {
		body.Close()
		return nil, err
	}
	if essence, _, _ := mime.ParseMediaType(mediaType); essence != listingType {
		base := name[strings.LastIndexAny(name, "/\\")+1:]
		return archived.Object(scheme.Object{URL: u, Name: base, Type: cmp.Or(mediaType, media.ByName(base))}, body), nil
	}
	parts := long.WithoutFragment().Parts()
	lines := line.NewReader(body, maxEntry)
	return &scheme.Menu{URL: u, Title: name, Closer: body, Items: func(yield func(scheme.Item, error) bool) {
		for {
			text, err := lines.Line()
			if err == io.EOF {
				return
			}
			var item scheme.Item
			if err == nil {
				item, err = readItem(string(text))
			}
			if err != nil {
				yield(scheme.Item{}, fmt.Errorf("file: %w: the archived listing: %w", scheme.ErrProtocol, err))
				return
			}
			item.URL = itemURL(parts, item.Title, item.Kind == scheme.KindMenu)
			if !yield(item, nil) {
				return
			}
		}
	}}, nil
}
