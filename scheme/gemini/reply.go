package gemini

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
)

type header struct {
	status int    // two-digit status
	meta   string // prompt, media type, URL or message, depending on the status; not safe for a terminal
}

const mediaType = "text/gemini"

// parseHeader reads a header without its line end. The error wraps
// [scheme.ErrProtocol].
func parseHeader(text string) (header, error) {
	digits, meta, _ := strings.Cut(text, " ")
	status, err := strconv.Atoi(digits)
	if err != nil || len(digits) != 2 || status < 10 || status > 69 {
		return header{}, fmt.Errorf("%w: a response begins with a status of two digits, not %s", scheme.ErrProtocol, locus.Quote(text))
	}
	return header{status, strings.TrimSpace(meta)}, nil
}

// err returns the error for the status, or nil for 1x, 2x and 3x. The error wraps an
// error of package scheme.
func (h header) err() error {
	kind := scheme.ErrProtocol
	switch {
	case h.status < 40:
		return nil
	case h.status == 51 || h.status == 52:
		kind = scheme.ErrNotFound
	case h.status == 53:
		kind = scheme.ErrUnsupported
	case h.status >= 60:
		kind = scheme.ErrAuth
	}
	err := fmt.Errorf("%w: the server responded %d %s", kind, h.status, locus.Quote(h.meta))
	if h.status < 50 {
		later := &scheme.RetryAfterError{Err: err}
		if seconds, parseErr := strconv.ParseUint(h.meta, 10, 16); parseErr == nil && h.status == 44 {
			later.After = time.Duration(seconds) * time.Second
		}
		return later
	}
	if h.status >= 60 {
		err = scheme.Hint(err, "the server requires a client certificate, which is not supported")
	}
	return err
}

// Limits of a menu.
const (
	maxLine = 64 << 10
	maxMenu = 16 << 20
)

// menu returns a menu that reads gemtext from the reader r. Closing the menu closes r. The
// argument base is the URL of the document.
func menu(base locus.URL, r io.ReadCloser) *scheme.Menu {
	lines := line.NewReader(r, maxLine)
	lines.Allow(maxMenu)
	return &scheme.Menu{URL: base, Closer: r, Items: func(yield func(scheme.Item, error) bool) {
		preformatted := false
		for {
			text, err := lines.Line()
			last := errors.Is(err, io.ErrUnexpectedEOF) && len(text) > 0 // the last line may have no line end
			switch {
			case err == io.EOF:
				return
			case err != nil && !last:
				if errors.Is(err, line.ErrTotal) || errors.Is(err, line.ErrLong) {
					err = fmt.Errorf("gemini: %w: %w", scheme.ErrTooLarge, err)
				}
				yield(scheme.Item{}, err)
				return
			}
			if strings.HasPrefix(string(text), "```") {
				preformatted = !preformatted
			} else if !yield(item(base, string(text), preformatted), nil) {
				return
			}
			if last {
				return
			}
		}
	}}
}

func item(base locus.URL, text string, preformatted bool) scheme.Item {
	info := scheme.Item{Title: text, Kind: scheme.KindInfo, Size: -1}
	link, ok := strings.CutPrefix(text, "=>")
	if !ok || preformatted {
		return info
	}
	link = strings.Trim(link, " \t")
	target, title := link, link
	if i := strings.IndexAny(link, " \t"); i >= 0 {
		target, title = link[:i], strings.TrimLeft(link[i:], " \t")
	}
	ref, err := relative.Parse(target)
	if err != nil {
		info.Note = "the link is not a URL: " + err.Error()
		return info
	}
	u, err := ref.Resolve(base)
	if err != nil {
		info.Note = "the link is not a URL: " + err.Error()
		return info
	}
	i := scheme.Item{URL: u, Title: title, Kind: scheme.KindUnknown, Size: -1}
	if u.Scheme() == base.Scheme() {
		i.Kind, i.Type = promise(u)
	}
	return i
}

// promise guesses the kind and media type of a resource from the file name in its URL u.
func promise(u locus.URL) (scheme.ItemKind, string) {
	name, _ := u.Path()
	name, _, _ = strings.Cut(name, "?")
	if ext := path.Ext(name); ext != "" && ext != ".gmi" && ext != ".gemini" {
		return scheme.KindObject, media.ByName(name)
	}
	return scheme.KindMenu, ""
}
