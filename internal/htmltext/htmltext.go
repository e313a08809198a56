// Package htmltext renders HTML as lines of text. The package omits tags, scripts and other
// elements without visible text.
//
// The caller reads the tokens of a page and passes each token to [Renderer.Token]. An [Output]
// receives the lines and decides how to show links. A Renderer stores no text except the page
// title.
package htmltext

import (
	"strings"

	"github.com/locus-url/locus/internal/markup"
)

const (
	maxQuotes = 20  // maximum depth of nested quotes
	maxLists  = 9   // maximum depth of nested lists
	maxEmpty  = 100 // maximum number of consecutive empty lines
	maxBlanks = 200 // maximum number of consecutive spaces

	noBreak = "\u00a0" // a no-break space
)

// hiddenElements lists the elements whose content is not visible.
var hiddenElements = map[string]bool{
	"iframe": true, "script": true, "select": true, "style": true, "svg": true, "template": true, "textarea": true,
}

// lineEnds maps an element to the number of line breaks before and after the element. Two line
// breaks produce an empty line.
var lineEnds = map[string]int{
	"address": 1, "article": 1, "aside": 1, "center": 1, "dd": 1, "details": 1, "div": 1, "dt": 1, "fieldset": 1, "figcaption": 1, "figure": 1,
	"footer": 1, "form": 1, "header": 1, "hr": 1, "li": 1, "main": 1, "nav": 1, "section": 1, "summary": 1, "tr": 1,
	"blockquote": 2, "dl": 2, "h1": 2, "h2": 2, "h3": 2, "h4": 2, "h5": 2, "h6": 2, "ol": 2, "p": 2, "pre": 2, "table": 2, "ul": 2,
}

// Output receives the text of a page in order.
type Output interface {
	// Tag receives a start or end tag, and its name in lower case. If the tag ends the line, the
	// Renderer has already ended the line. The Renderer does not call Tag for hidden elements and
	// their content.
	Tag(name string, t *markup.HTML)
	// Begin begins a line. The Renderer then calls Text.
	Begin(l Line)
	// Text adds text to the line. The text is not empty and contains no line breaks. The text may
	// contain other control characters.
	Text(text string)
}

// Line describes the beginning of a line. The Output must wrap long lines.
type Line struct {
	Empty  int    // number of empty lines before the line; may be positive for the first line
	Quotes int    // depth of nested quotes
	Margin string // margin of a list item, such as "* " after an indent
}

// Renderer renders a page and passes the text to Output.
type Renderer struct {
	Output Output
	Cell   string // separator between the cells in a table row; if empty, a space

	Title string // decoded title of the page, which Token sets

	hidden             string // name of the open element with hidden content, or ""
	inLine             bool
	blanks             int  // number of spaces before the next text on the line
	space              bool // the last space represents white space in the source, so more white space adds no space
	lineBreaks         int  // number of line breaks before the next line
	margin             string
	pre, lists, quotes int // numbers of open pre elements, lists and quotes
}

// Token renders a token of the page. A text may consist of several consecutive tokens.
func (r *Renderer) Token(t *markup.HTML) {
	text := t.Source[t.Start:t.End]
	switch t.Kind {
	case markup.Text:
		r.addText(t.Name, markup.Decode(text, markup.HTMLText).Text)
	case markup.Verbatim:
		r.addText(t.Name, text)
	case markup.StartTag, markup.EndTag:
		r.addTag(strings.ToLower(t.Name), t)
	}
}

func (r *Renderer) addText(element, addText string) {
	switch {
	case r.hidden != "":
	case element == "title":
		if r.Title == "" {
			r.Title = addText
		}
	case r.pre > 0:
		r.preformatted(strings.ReplaceAll(addText, "\r", ""))
	default:
		r.words(addText)
	}
}

func (r *Renderer) words(text string) {
	word := 0 // start of the current word
	for i := 0; i < len(text); i++ {
		space, fixed := markup.IsSpace(text[i]), strings.HasPrefix(text[i:], noBreak)
		if !space && !fixed {
			continue
		}
		r.Put(text[word:i])
		if space {
			r.addSpace()
		} else {
			r.blanks, r.space = min(r.blanks+1, maxBlanks), false
			i += len(noBreak) - 1
		}
		word = i + 1
	}
	r.Put(text[word:])
}

// addSpace adds one space for a run of white space. addSpace ignores white space at the beginning
// of a line.
func (r *Renderer) addSpace() {
	if !r.space && (r.inLine || r.blanks > 0) {
		r.blanks, r.space = min(r.blanks+1, maxBlanks), true
	}
}

func (r *Renderer) preformatted(text string) {
	for {
		line, rest, more := strings.Cut(text, "\n")
		r.Put(strings.ReplaceAll(line, noBreak, " "))
		if !more {
			return
		}
		r.endLine(r.lineBreaks + 1)
		text = rest
	}
}

// Put adds text to the current line. If there is no current line, Put begins a line. An Output may
// call Put to show text for a tag.
func (r *Renderer) Put(text string) {
	if text == "" {
		return
	}
	if !r.inLine {
		r.Output.Begin(Line{Empty: max(r.lineBreaks-1, 0), Quotes: min(r.quotes, maxQuotes), Margin: r.margin})
		r.inLine, r.lineBreaks, r.margin = true, 0, ""
	}
	if r.blanks > 0 {
		r.Output.Text(strings.Repeat(" ", r.blanks))
	}
	r.blanks, r.space = 0, false
	r.Output.Text(text)
}

// InLine reports whether the next text continues the current line.
func (r *Renderer) InLine() bool { return r.inLine }

// EndLine ends the current line.
func (r *Renderer) EndLine() { r.endLine(1) }

// endLine ends the current line. At least minBreaks line breaks precede the next text.
func (r *Renderer) endLine(minBreaks int) {
	r.inLine, r.lineBreaks = false, min(max(r.lineBreaks, minBreaks), maxEmpty+1)
	r.blanks, r.space = 0, false
}

func (r *Renderer) addTag(name string, t *markup.HTML) {
	begins := t.Kind == markup.StartTag
	switch {
	case r.hidden == "" && begins && hiddenElements[name]:
		r.hidden = name
	case r.hidden == "":
		r.breakLine(name)
		r.nest(name, begins)
		r.Output.Tag(name, t)
		if begins {
			r.addMarker(name, t)
		}
	case r.hidden == name && !begins:
		r.hidden = ""
	}
}

// breakLine ends the line before or after a block element, and adds the separator between table
// cells.
func (r *Renderer) breakLine(name string) {
	ends := lineEnds[name]
	switch {
	case name == "br":
		r.endLine(min(r.lineBreaks+1, 2))
	case r.lists > 0 && (name == "ul" || name == "ol"):
		r.endLine(1) // start of a nested list, or end of a list
	case name == "td" || name == "th":
		r.addSpace()
	case ends > 0:
		r.endLine(ends)
	}
}

// nest counts the open elements that can be nested.
func (r *Renderer) nest(name string, begins bool) {
	depth := -1
	if begins {
		depth = 1
	}
	switch name {
	case "blockquote":
		r.quotes = max(r.quotes+depth, 0)
	case "ul", "ol", "dl":
		r.lists = max(r.lists+depth, 0)
	case "pre":
		r.pre = max(r.pre+depth, 0)
	}
}

// addMarker adds the text of a start tag, such as the margin of a list item.
func (r *Renderer) addMarker(name string, t *markup.HTML) {
	switch name {
	case "li":
		r.margin = strings.Repeat("  ", min(max(r.lists, 1), maxLists)-1) + "* "
	case "dd":
		r.margin = "  "
	case "hr":
		r.Put("----")
		r.endLine(1)
	case "img":
		if alt := strings.Join(strings.Fields(t.Value("alt")), " "); alt != "" {
			r.Put("[" + alt + "]")
		}
	case "td", "th":
		if r.inLine && r.Cell != "" {
			r.blanks = 1
			r.Put(r.Cell)
			r.addSpace()
		}
	}
}
