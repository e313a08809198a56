package prospero

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Limits bound a reply. A nil *Limits has the defaults.
type Limits struct {
	Lines int // 0: 100,000
	Token int // octets of a token, except the contents of an object; 0: 1 MiB
	Depth int // of attributes of links that are attributes; 0: 16
}

func (l *Limits) orDefault() Limits {
	if l == nil {
		l = new(Limits)
	}
	return Limits{Lines: cmp.Or(l.Lines, 100_000), Token: cmp.Or(l.Token, 1<<20), Depth: cmp.Or(l.Depth, 16)}
}

// Reply is a server's reply to a request.
type Reply struct {
	Links      []Link      // in the server's order
	Attributes []Attribute // of the object, in the server's order
	None       bool        // nothing found: an empty directory, no match, no such attribute
	Success    string      // the text of SUCCESS
	Version    string      // the server's version: "5", and its software
	Warnings   []string    // for a person; not safe for a terminal
	Forwarded  *Target     // the server to ask instead, or nil
	Unresolved []string    // the components that remain after the last of Links
	// Failure is a [*FailureError] if the server refused the request. The rest of the
	// reply is then not an answer.
	Failure error
	Old     bool // in version 1 of the protocol
}

// ReplyError is a malformed reply. It wraps [scheme.ErrProtocol], or
// [scheme.ErrTooLarge] for one that exceeds [Limits].
type ReplyError struct {
	Line   int // from 1; empty lines do not count
	Offset int // of the line in the message, in octets
	Err    error
}

func (e *ReplyError) Error() string {
	return fmt.Sprintf("line %d of the reply, at octet %d: %v", e.Line, e.Offset, e.Err)
}

func (e *ReplyError) Unwrap() error { return e.Err }

// FailureError is the server's refusal of a request. It wraps the error of package
// scheme that fits its word, such as [scheme.ErrNotFound].
type FailureError struct {
	Word string // NOT-FOUND, ...; also ERROR and VERSION-NOT-SUPPORTED
	Text string // the server's text; may be empty
}

func (e *FailureError) Error() string {
	text := fmt.Sprintf("%v: the server says %s", e.Unwrap(), locus.Quote(e.Word))
	if e.Text != "" {
		text += ": " + locus.Quote(e.Text)
	}
	return text
}

// Words of a [FailureError] that are lines of their own.
const (
	wordError   = "ERROR"
	wordVersion = "VERSION-NOT-SUPPORTED"
)

// wordNotDirectory is for an object that isn't a directory, and for a missing directory.
const wordNotDirectory = "NOT-A-DIRECTORY"

// Unwrap returns the error of package scheme that fits e.Word.
func (e *FailureError) Unwrap() error {
	switch e.Word {
	case wordNotFound, wordNotDirectory:
		return scheme.ErrNotFound
	case "NOT-AUTHORIZED", "AUTHENTICATION-REQUIRED", "AUTHENTICATION-DATA":
		return scheme.ErrAuth
	case "UNIMPLEMENTED", "FILTER-APPLICATION", wordVersion:
		return scheme.ErrUnsupported
	case "TOO-MANY":
		return scheme.ErrTooLarge
	}
	return scheme.ErrProtocol
}

// ParseReply reads a whole reply. The error is a [*ReplyError]: the reply is malformed
// and nothing in it can be relied on. A refusal is not an error; it is in
// [Reply.Failure].
func ParseReply(message []byte, l *Limits) (*Reply, error) {
	text := string(message)
	p := parser{limits: l.orDefault(), reply: &Reply{}}
	p.levels = append(p.levels, &p.reply.Attributes)
	for rest := text; rest != ""; {
		offset := len(text) - len(rest)
		var err error
		if rest, err = p.next(rest); err != nil {
			return nil, &ReplyError{Line: p.lines, Offset: offset, Err: err}
		}
	}
	if p.lines == 0 {
		return nil, &ReplyError{Line: 1, Err: fmt.Errorf("%w: the reply is empty", scheme.ErrProtocol)}
	}
	if t := forwarding(p.reply.Attributes); t != nil && p.reply.Forwarded == nil {
		// Asked for all attributes, a server sends this one and then fails.
		p.reply.Forwarded, p.reply.Failure = t, nil
	}
	return p.reply, nil
}

// parser reads a reply line by line.
type parser struct {
	limits Limits
	reply  *Reply
	lines  int
	tokens []string // of the current line
	// levels are the lists for the next attribute: the first for one without ">",
	// the second for one with one ">", and so on.
	levels []*[]Attribute
}

// next reads the first line of a message, and returns the rest.
func (p *parser) next(message string) (rest string, err error) {
	if l, rest, ok := cutNullLink(message); ok {
		if err := p.count(); err != nil {
			return "", err
		}
		p.addLink(l)
		return rest, nil
	}
	line, rest, closed := p.cut(message)
	if trimBlanks(line) == "" {
		return rest, nil
	}
	if err := p.count(); err != nil {
		return "", err
	}
	if !closed {
		return p.open(line)
	}
	p.split(line)
	if err := p.checkTokens(); err != nil {
		return "", err
	}
	return rest, p.read(line)
}

func (p *parser) count() error {
	if p.lines++; p.lines > p.limits.Lines {
		return fmt.Errorf("%w: more than %d lines", scheme.ErrTooLarge, p.limits.Lines)
	}
	return nil
}

// cut splits message after its first line.
func (p *parser) cut(message string) (line, rest string, closed bool) {
	p.reply.Old = p.reply.Old || isOld(message)
	if p.reply.Old {
		line, rest = cutRawLine(message)
		return line, rest, true
	}
	return cutLine(message)
}

// open reads a line whose quotes stay open to the end of the message. That is an
// error, except for a refusal with bad quotes, which is worth more than the error.
func (p *parser) open(message string) (rest string, err error) {
	line, rest := cutRawLine(message)
	switch word, _, _ := strings.Cut(line, " "); word {
	case "FAILURE", wordError:
		p.tokens = strings.FieldsFunc(line, isBlank)
		return rest, p.read(line)
	}
	return "", fmt.Errorf("%w: quotes that are not closed", scheme.ErrProtocol)
}

func (p *parser) split(line string) {
	if p.reply.Old {
		p.tokens = strings.FieldsFunc(line, isBlank)
	} else {
		p.tokens = appendTokens(p.tokens[:0], line)
	}
}

// checkTokens applies the limit to all tokens except the contents of an object, which
// only the size of a message bounds.
func (p *parser) checkTokens() error {
	for i, token := range p.tokens {
		if len(token) > p.limits.Token && !(i > 0 && p.tokens[i-1] == dataWord && slices.Contains(p.tokens[:i], attrContents)) {
			return fmt.Errorf("%w: a token of %d octets", scheme.ErrTooLarge, len(token))
		}
	}
	return nil
}

// read reads a line whose tokens are p.tokens.
func (p *parser) read(line string) error {
	r := p.reply
	word, fields := p.tokens[0], p.tokens[1:]
	switch word {
	case "LINK":
		return p.link(fields)
	case "LINK-INFO":
		return p.oldAttribute(fields)
	case "ID":
		if n := len(r.Links); n > 0 && r.Forwarded == nil {
			r.Links[n-1].IDs = append(r.Links[n-1].IDs, slices.Clone(fields))
		}
	case "SUCCESS":
		r.Success = p.text(line, 1)
	case "NONE-FOUND":
		r.None = true
	case "FORWARDED":
		return p.forwarded(fields)
	case "UNRESOLVED":
		r.Unresolved = append(r.Unresolved, fields...)
	case "FAILURE":
		failure := &FailureError{Text: p.text(line, 2)}
		if len(fields) > 0 {
			failure.Word = fields[0]
		}
		p.fail(failure)
	case wordError, wordVersion:
		p.fail(&FailureError{Word: word, Text: p.text(line, 1)})
	case "WARNING":
		p.warning(line, fields)
	case "VERSION":
		r.Version = p.text(line, 1)
	case "AUTHENTICATED", "PARAMETER":
	default:
		if signs, ok := strings.CutPrefix(word, "ATTRIBUTE"); ok && strings.Trim(signs, ">") == "" {
			return p.attribute(len(signs), fields)
		}
		r.Warnings = append(r.Warnings, "unknown line in the reply: "+locus.Quote(line))
	}
	return nil
}

// text returns a line without its first n tokens and without quotes.
func (p *parser) text(line string, n int) string {
	rest := trimBlanks(line)
	for range n {
		i := strings.IndexFunc(rest, isBlank)
		if i < 0 {
			return ""
		}
		rest = trimBlanks(rest[i:])
	}
	if !p.reply.Old {
		rest = unquote(rest)
	}
	return strings.TrimSpace(rest)
}

// fail records the first failure.
func (p *parser) fail(failure *FailureError) {
	if p.reply.Failure == nil {
		p.reply.Failure = failure
	}
}

// warning records a text for a person. The word after WARNING is part of the text,
// except MESSAGE.
func (p *parser) warning(line string, fields []string) {
	skip := 1
	if len(fields) > 0 && fields[0] == "MESSAGE" {
		skip = 2
	}
	if text := p.text(line, skip); text != "" {
		p.reply.Warnings = append(p.reply.Warnings, text)
	}
}

func (p *parser) link(fields []string) error {
	if p.reply.Old {
		return p.oldLink(fields)
	}
	l, err := parseLink(fields)
	if err != nil {
		return err
	}
	p.addLink(l)
	return nil
}

// addLink adds a link. The attributes that follow belong to it.
func (p *parser) addLink(l Link) {
	p.reply.Links = append(p.reply.Links, l)
	p.levels = append(p.levels[:0], &p.reply.Links[len(p.reply.Links)-1].Attributes)
}

// attribute adds an attribute at the depth that its ">" signs give.
func (p *parser) attribute(depth int, fields []string) error {
	switch {
	case depth >= len(p.levels):
		return fmt.Errorf("%w: an attribute of a missing link", scheme.ErrProtocol)
	case depth > p.limits.Depth:
		return fmt.Errorf("%w: attributes %d deep", scheme.ErrTooLarge, depth)
	}
	a, err := parseAttribute(fields)
	if errors.Is(err, errValueType) {
		p.reply.Warnings = append(p.reply.Warnings, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	p.addAttribute(depth, a)
	return nil
}

func (p *parser) addAttribute(depth int, a Attribute) {
	list := p.levels[depth]
	*list = append(*list, a)
	p.levels = p.levels[:depth+1]
	if a.Link != nil {
		p.levels = append(p.levels, &(*list)[len(*list)-1].Attributes)
	}
}

// forwarded reads the fields of a FORWARDED line.
func (p *parser) forwarded(fields []string) error {
	const least = 5
	if len(fields) < least {
		return fmt.Errorf("%w: FORWARDED with %d of %d fields", scheme.ErrProtocol, len(fields), least)
	}
	t, err := parseTarget(fields)
	if err == nil {
		err = t.checkTypes()
	}
	if err != nil {
		return fmt.Errorf("%w: FORWARDED to something else than a Prospero server: %w", scheme.ErrProtocol, err)
	}
	if p.reply.Forwarded == nil {
		p.reply.Forwarded = &t
	}
	return nil
}

// Rest returns where to ask for the remaining components, and which they are, if the
// server resolved only some of the components of a request. ok is false if it resolved
// all. The error wraps [scheme.ErrProtocol]: the remaining components are not the last
// of those that were asked for, or include the first.
func (r *Reply) Rest(components ...string) (at Target, rest []string, ok bool, err error) {
	if len(r.Unresolved) == 0 {
		return Target{}, nil, false, nil
	}
	n := len(components) - len(r.Unresolved)
	if n < 1 || len(r.Links) == 0 || !slices.Equal(components[n:], r.Unresolved) {
		return Target{}, nil, false, fmt.Errorf("%w: the server left %s of %s unresolved", scheme.ErrProtocol, quoteAll(r.Unresolved), quoteAll(components))
	}
	last := r.Links[len(r.Links)-1]
	return last.Target, r.Unresolved, true, last.Err
}

func quoteAll(names []string) string { return locus.Quote(strings.Join(names, " ")) }

// Kinds of values of the attribute CONTENTS.
const (
	dataWord   = "DATA"
	taggedWord = "TAGGED"
)

// Contents returns the octets of the object; ok is false if the reply has none. DATA is
// copied as it is. A TAGGED value becomes a line with the tag, ": " and the text.
func (r *Reply) Contents() (octets []byte, ok bool) {
	for _, a := range r.Attributes {
		if !sameName(a.Name, attrContents) || len(a.Value) == 0 {
			continue
		}
		// A text that the server did not quote is several tokens.
		switch kind, rest := a.Value[0], a.Value[1:]; {
		case kind == dataWord:
			octets, ok = appendJoined(octets, rest), true
		case kind == taggedWord && len(rest) > 0:
			octets = append(append(octets, rest[0]...), ": "...)
			octets, ok = append(appendJoined(octets, rest[1:]), '\n'), true
		}
	}
	return octets, ok
}

func appendJoined(dst []byte, tokens []string) []byte {
	for i, token := range tokens {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, token...)
	}
	return dst
}
