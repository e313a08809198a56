package message

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/locus-url/locus/internal/htmltext"
	"github.com/locus-url/locus/internal/markup"
)

const (
	maxToken = 1 << 20 // maximum bytes of a tag, a comment or a script
	maxLinks = 200
	maxLink  = 2000 // maximum bytes of a listed URL
)

// htmlWriter writes the text of an HTML document, with a number after each link.
type htmlWriter struct {
	htmltext.Renderer
	w   io.Writer
	out []byte

	wrote  bool // whether any text was written
	links  []string
	href   string // URL of the open link
	anchor []byte // text of the open link, as long as the text may equal the URL
}

// writeHTML writes the text of an HTML part and returns the URLs of its links. writeHTML
// writes the number of each link after the link's text, beginning with [1]. writeHTML holds
// only one token in memory. If a token is too long, writeHTML stops and returns a [Fault].
func writeHTML(w io.Writer, p Part) (links []string, err error) {
	h := &htmlWriter{w: w}
	h.Output = h
	var tokens markup.HTML
	r, buf := p.Text(), make([]byte, 0, 16<<10)
	for err == nil {
		if len(buf) == maxToken {
			err = Fault{Rule: RuleLimit, Offset: p.Offset(), Path: p.Path, Text: "an HTML tag, comment or script has more than 1 MiB: the text ends there"}
			break
		}
		buf = slices.Grow(buf, min(max(len(buf), 16<<10), maxToken-len(buf)))
		var n int
		n, err = io.ReadFull(r, buf[len(buf):min(cap(buf), maxToken)])
		buf = buf[:len(buf)+n]
		tokens.Source, tokens.Offset = string(buf), 0
		h.readTokens(&tokens, err != nil)
		buf = buf[:copy(buf, buf[tokens.Offset:])]
		if flushErr := h.flush(); flushErr != nil {
			return h.links, flushErr
		}
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return h.links, err
}

// readTokens handles the complete tokens. If isComplete is true, no more input follows.
func (h *htmlWriter) readTokens(tokens *markup.HTML, isComplete bool) {
	for {
		before := *tokens
		if !tokens.Next() {
			return
		}
		if t := tokens.Token; t.End == len(tokens.Source) && !isComplete {
			*tokens = before
			if t.Kind != markup.Text || t.Name != "" {
				return
			}
			// A text that may begin a character reference or a tag must wait for more input.
			if n := strings.LastIndexAny(tokens.Source[t.Start:], "&<"); n >= 0 && len(tokens.Source)-t.Start-n < maxReference {
				t.End = t.Start + n
			}
			tokens.Token, tokens.Offset = t, t.End
			h.Token(tokens)
			return
		}
		h.Token(tokens)
	}
}

// maxReference is more than the length of any character reference, in bytes.
const maxReference = 64

// flush writes the buffered text.
func (h *htmlWriter) flush() error {
	_, err := h.w.Write(h.out)
	h.out = h.out[:0]
	return err
}

// Begin implements [htmltext.Output].
func (h *htmlWriter) Begin(l htmltext.Line) {
	if h.wrote {
		h.out = append(h.out, strings.Repeat("\n", l.Empty+1)...)
	}
	h.wrote = true
	h.out = append(h.out, strings.Repeat("> ", l.Quotes)+l.Margin...)
}

// Text implements [htmltext.Output].
func (h *htmlWriter) Text(text string) {
	h.out = append(h.out, text...)
	if h.href != "" && len(h.anchor) <= maxLink {
		h.anchor = append(h.anchor, text[:min(len(text), maxLink+1-len(h.anchor))]...)
	}
}

// Tag implements [htmltext.Output].
func (h *htmlWriter) Tag(name string, t *markup.HTML) {
	if name != "a" {
		return
	}
	h.endLink()
	if t.Kind == markup.StartTag {
		h.href = linkOf(t.Value("href"))
	}
}

// endLink writes the number of the open link, unless the link's text is the URL itself.
func (h *htmlWriter) endLink() {
	href, text := h.href, strings.TrimSpace(string(h.anchor))
	h.href, h.anchor = "", h.anchor[:0]
	if href == "" || text == href || "mailto:"+text == href {
		return
	}
	i := slices.Index(h.links, href)
	if i < 0 {
		if len(h.links) == maxLinks {
			return
		}
		i = len(h.links)
		h.links = append(h.links, strings.Clone(href)) // do not retain the surrounding text
	}
	mark := "[" + strconv.Itoa(i+1) + "]"
	if h.InLine() {
		h.Text(mark) // this writes the number before a space at the end of the text
	} else {
		h.Put(mark)
	}
}

// linkOf returns the URL of a link, or "" if WriteText does not list the link.
func linkOf(href string) string {
	href = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, href))
	scheme, _, _ := strings.Cut(strings.ToLower(href), ":")
	if href == "" || href[0] == '#' || len(href) > maxLink || scheme == "javascript" || scheme == "vbscript" || scheme == "data" {
		return ""
	}
	return href
}
