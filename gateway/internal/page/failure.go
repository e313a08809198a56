package page

import (
	"errors"
	"io"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Failure writes the page for an error. The parameter kind is the result of access.KindOf.
// For a cid URL, the page contains a form in which the user enters the URL of the message.
// The form sends this URL as "in" to [Site.Home], and the cid URL as "url". If the input
// was not a URL, the URL box repeats the input.
func (p *Printer) Failure(w io.Writer, h *Head, kind string, err error) error {
	head := Head{}
	if h != nil {
		head = *h
	}
	var syntax *locus.SyntaxError
	if head.URL.IsZero() && errors.As(err, &syntax) {
		head.Box = syntax.Input
	}
	k, title := kindWarning, ""
	k.Label = wordsFor(kind).what
	if head.URL.IsZero() {
		title = k.Label
	}
	g := p.beginPage(w, &head, nil, k, title)
	g.writePiece("failure", g.failure(kind, err))
	return g.endPage(nil)
}

// Redirect writes a page with a link to the target of a redirect. The error err is the reason
// why a browser must not follow the redirect automatically.
func (p *Printer) Redirect(w io.Writer, h *Head, target locus.URL, err error) error {
	g := p.beginPage(w, h, nil, kindRedirect, "")
	f := g.failure("denied", err)
	f.What, f.Do = "Redirect", "The gateway does not follow this redirect automatically. Open its target only if you expected it."
	f.Onward, f.To = g.pagePath(target.WithoutPassword(), Show{}), safeText(target.Shown())
	g.writePiece("failure", f)
	return g.endPage(nil)
}

// failure is the data for the template "failure".
type failure struct {
	What, Do, Text, Hint, Kind string
	Named                      bool   // the page title is the name of a resource
	Again                      string // link for another attempt
	Onward, To                 string // link to the target of a redirect, and the URL of the target
	Within                     string // cid URL; the user must enter the URL of the message
	Home                       string
	Refused                    *explanation // invalid input with a mark at the error
	Fix                        *hop         // suggested URL
	Above                      *crumb       // menu above a missing resource
}

func (g *page) failure(kind string, err error) failure {
	words := wordsFor(kind)
	f := failure{What: words.what, Do: words.do, Kind: kind, Home: g.site.Home, Named: g.registry.Title(g.h.URL) != ""}
	u := g.h.URL
	text := ""
	if err != nil {
		text = err.Error()
	}
	var hint *scheme.HintError
	if errors.As(err, &hint) {
		f.Hint = safeText(capitalize(hint.Hint))
		text = strings.TrimSuffix(text, " ("+hint.Hint+")")
	}
	// The head of the page already shows the URL.
	f.Text = safeText(locus.MaskText(strings.TrimPrefix(text, "locus: open "+u.Shown()+": ")))
	if g.registry.Scheme(u).Traits.Has(scheme.Contained) && kind != "syntax" {
		f.What, f.Do = "Part of a message", "A cid URL names a part of one message. Enter the URL of that message."
		f.Hint, f.Within = "", u.String()
	}
	var syntax *locus.SyntaxError
	if errors.As(err, &syntax) {
		x := explainRefusal(syntax.Input, syntax)
		f.Refused, f.Do = &x, capitalize(safeText(syntax.Err.Error()))+"."
		if u.IsZero() {
			f.Fix = g.suggestFix(syntax.Input)
		}
	} else if meant, _ := g.registry.Suggest(u); !meant.IsZero() && g.pagePath(meant, Show{}) != "" {
		f.Fix = g.hop(meant)
	} else if !u.IsZero() && !g.registry.Known(u) {
		f.Fix = g.suggestFix(u.String()) // "localhost:70" is a valid URL
	}
	if parents := g.registry.Parents(u); kind == "not-found" && len(parents) > 0 {
		above := parents[len(parents)-1]
		if link := g.pagePath(above.URL, Show{}); link != "" {
			f.Above = &crumb{safeText(above.Name), link}
		}
	}
	if !u.IsZero() && words.again {
		f.Again = g.pagePath(u, g.h.Show)
	}
	return f
}

// suggestFix suggests a URL for a text that is not a URL. If there is no suggestion, it
// returns nil. It adds a scheme to a host name, and escapes characters that a URL can't
// contain.
func (g *page) suggestFix(text string) *hop {
	if strings.Contains(text, "*") {
		return nil // the text "***" may replace a password
	}
	text = strings.ReplaceAll(strings.TrimSpace(text), `\`, "/")
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == '%' && !isEscape(text[i:]) {
			text = text[:i] + "%25" + text[i+1:]
		}
	}
	if name := g.schemeFor(text); name != "" {
		text = name + text
	}
	u, err := locus.Parse(strings.ReplaceAll(text, " ", "%20"))
	if err != nil || g.pagePath(u, Show{}) == "" {
		return nil
	}
	return g.hop(u)
}

// isEscape reports whether text begins with a valid escape. The caller has checked that
// text begins with "%".
func isEscape(text string) bool {
	return len(text) >= 3 && strings.Trim(text[1:3], "0123456789abcdefABCDEF") == ""
}

// schemeFor returns the missing prefix of a text without a scheme, or "" if there is no such
// prefix. If the host name begins with the name of a scheme, as in "ftp.example.com", schemeFor
// returns that scheme. Otherwise it returns http.
func (g *page) schemeFor(text string) string {
	host, hasSlashes := strings.CutPrefix(text, "//")
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	host, _, _ = strings.Cut(host, ":")
	label, _, dotted := strings.Cut(host, ".")
	if !locus.IsHost(host) || !dotted && host != "localhost" {
		return ""
	}
	slashes := "://"
	if hasSlashes {
		slashes = ":"
	}
	web := ""
	for _, s := range g.registry.All() {
		switch {
		case s.Access.Opener == nil:
		case s.Name == strings.ToLower(label):
			return s.Name + slashes
		case web == "" && s.Traits.Has(scheme.Web) && !s.Traits.Has(scheme.Secure):
			web = s.Name + slashes
		}
	}
	return web
}

// failureWords contains the heading and the advice for a kind of error.
type failureWords struct {
	what, do string
	again    bool
}

func wordsFor(kind string) failureWords {
	words, ok := failures[kind]
	if !ok {
		return failures["protocol"]
	}
	return words
}

var failures = map[string]failureWords{
	"not-found":   {"Not found", "The server has no such resource.", false},
	"denied":      {"Denied", "The rules of this gateway deny this URL.", false},
	"unreachable": {"No connection", "The gateway could not connect to the server.", true},
	"protocol":    {"Protocol error", "The server sent an invalid or incomplete response.", true},
	"auth":        {"Login required", "The server requires a user name and password, or rejected those it received.", false},
	"unsupported": {"Not supported", "The gateway cannot open this URL.", false},
	"syntax":      {"Not a URL", "This text is not a URL.", false},
	"timeout":     {"Timeout", "The server did not respond in time.", true},
	"too-large":   {"Too large", "The resource is larger than this gateway allows.", false},
	"interrupted": {"Interrupted", "The gateway stopped before the response was complete.", true},
	"busy":        {"Too many requests", "The gateway has reached a limit for one client or for all.", true},
}
