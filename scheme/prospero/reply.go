package prospero

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Limits are what a reply may have at most. Zero fields, and a nil *Limits, are
// sensible ones.
type Limits struct {
	Lines int // 0: 100,000
	Token int // octets of a token that is not the contents of an object; 0: 1 MiB
	Depth int // of attributes of links that are attributes; 0: 16
}

func (l *Limits) orDefault() Limits {
	var d Limits
	if l != nil {
		d = *l
	}
	if d.Lines <= 0 {
		d.Lines = 100_000
	}
	if d.Token <= 0 {
		d.Token = 1 << 20
	}
	if d.Depth <= 0 {
		d.Depth = 16
	}
	return d
}

// Reply is what a server answers to a request.
type Reply struct {
	Links      []Link      // in the server's order
	Attributes []Attribute // of the object that was asked about, in the server's order
	None       bool        // there is nothing: an empty directory, no match, no such attribute
	Success    string      // what was said with SUCCESS
	Version    string      // what was said of the server's version: "5", and its software
	Warnings   []string    // what a person should see: not safe for a terminal
	Forwarded  *Target     // where to ask instead, or nil
	Unresolved []string    // the components that are left at the last of Links
	// Failure is the refusal of a request, or nil: a [*FailureError]. What else is in
	// the reply is then no answer.
	Failure error
	Old     bool // in version 1 of the protocol
}

// ReplyError is a reply that can't be read. It wraps [scheme.ErrProtocol], or
// [scheme.ErrTooLarge] if there is more than [Limits] has.
type ReplyError struct {
	Line   int // from 1; empty lines do not count
	Offset int // of its first octet in the message
	Err    error
}

func (e *ReplyError) Error() string {
	return fmt.Sprintf("line %d of the reply, at octet %d: %v", e.Line, e.Offset, e.Err)
}

func (e *ReplyError) Unwrap() error { return e.Err }

// FailureError is a request that the server refused. It is the kind of thing that
// the word means, [scheme.ErrNotFound] for one.
type FailureError struct {
	Word string // NOT-FOUND; ERROR and VERSION-NOT-SUPPORTED are such words, too
	Text string // what the server says besides, perhaps nothing
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

// wordNotDirectory is the word for an object that is no directory, and for a
// directory that is missing.
const wordNotDirectory = "NOT-A-DIRECTORY"

// Unwrap returns the kind.
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

// ParseReply reads a whole reply. The error is a [*ReplyError]: the text is no
// reply of the protocol, and nothing of it can be relied on. A request that the
// server refused is in [Reply.Failure].
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
		return nil, &ReplyError{Line: 1, Err: fmt.Errorf("%w: there is none: the server sent nothing", scheme.ErrProtocol)}
	}
	if t := forwarding(p.reply.Attributes); t != nil && p.reply.Forwarded == nil {
		// A server that is asked for all attributes gives this one and then fails.
		p.reply.Forwarded, p.reply.Failure = t, nil
	}
	return p.reply, nil
}

// parser reads the lines of a reply one after the other.
type parser struct {
	limits Limits
	reply  *Reply
	lines  int
	tokens []string // of the line that is being read
	// levels are the lists that the next attribute may go to: the first for one
	// without ">", the second for one with one ">", and so on.
	levels []*[]Attribute
}

// next reads the first line of a message, and returns what follows it.
func (p *parser) next(message string) (rest string, err error) {
	if l, rest, ok := cutNull(message); ok {
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

// cut returns the first line of a message.
func (p *parser) cut(message string) (line, rest string, closed bool) {
	p.reply.Old = p.reply.Old || isOld(message)
	if p.reply.Old {
		line, rest = cutRawLine(message)
		return line, rest, true
	}
	return cutLine(message)
}

// open reads a line whose quotes stay open to the end of the message. That is a
// fault, but if it is a refusal that quotes badly, the refusal is better news.
func (p *parser) open(message string) (rest string, err error) {
	line, rest := cutRawLine(message)
	switch word, _, _ := strings.Cut(line, " "); word {
	case "FAILURE", wordError:
		p.tokens = appendRawTokens(p.tokens[:0], line)
		return rest, p.read(line)
	}
	return "", fmt.Errorf("%w: quotes that are not closed", scheme.ErrProtocol)
}

func (p *parser) split(line string) {
	if p.reply.Old {
		p.tokens = appendRawTokens(p.tokens[:0], line)
	} else {
		p.tokens = appendTokens(p.tokens[:0], line)
	}
}

// checkTokens holds the tokens against the limit. The contents of an object may
// have any size that a message has.
func (p *parser) checkTokens() error {
	for i, token := range p.tokens {
		if len(token) > p.limits.Token && !(i > 0 && p.tokens[i-1] == dataWord && slices.Contains(p.tokens[:i], attrContents)) {
			return fmt.Errorf("%w: a token of %d octets", scheme.ErrTooLarge, len(token))
		}
	}
	return nil
}

// read reads a line, of which p.tokens are the tokens.
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
		r.Warnings = append(r.Warnings, "the server said something that is not known here: "+locus.Quote(line))
	}
	return nil
}

// text returns a line without its quotes, and without the first n tokens.
func (p *parser) text(line string, n int) string {
	rest := trimBlanks(line)
	for range n {
		i := strings.IndexAny(rest, " \t")
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

// fail notes a failure. The first counts.
func (p *parser) fail(failure *FailureError) {
	if p.reply.Failure == nil {
		p.reply.Failure = failure
	}
}

// warning notes a line that is for a person. Most of its words say what it is
// about; one only says that it is a message.
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

// addLink adds a link. The attributes that follow are its own.
func (p *parser) addLink(l Link) {
	p.reply.Links = append(p.reply.Links, l)
	p.levels = append(p.levels[:0], &p.reply.Links[len(p.reply.Links)-1].Attributes)
}

// attribute adds an attribute, at the depth that its ">" signs say.
func (p *parser) attribute(depth int, fields []string) error {
	switch {
	case depth >= len(p.levels):
		return fmt.Errorf("%w: an attribute of a link that is not there", scheme.ErrProtocol)
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
		err = t.needsServer()
	}
	if err != nil {
		return fmt.Errorf("%w: FORWARDED to nothing that can be asked: %w", scheme.ErrProtocol, err)
	}
	if p.reply.Forwarded == nil {
		p.reply.Forwarded = &t
	}
	return nil
}

// Rest returns where the components that are left are to be asked for, and which
// they are, if the reply to a request for components has links up to the one
// where its server stopped. ok is false if it has all there is. The error, which
// wraps [scheme.ErrProtocol], says that these are not the last of the components
// that were asked for, or that the first of those is among them.
func (r *Reply) Rest(components ...string) (at Target, rest []string, ok bool, err error) {
	if len(r.Unresolved) == 0 {
		return Target{}, nil, false, nil
	}
	n := len(components) - len(r.Unresolved)
	if n < 1 || len(r.Links) == 0 || !slices.Equal(components[n:], r.Unresolved) {
		return Target{}, nil, false, fmt.Errorf("%w: the server leaves %s unresolved of %s", scheme.ErrProtocol, quoteAll(r.Unresolved), quoteAll(components))
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

// Contents returns the octets of the object, if its contents were asked for and
// it has some. DATA is as it is; a value with a tag is a line with the tag, ": "
// and the text.
func (r *Reply) Contents() (octets []byte, ok bool) {
	for _, a := range r.Attributes {
		if !sameName(a.Name, attrContents) || len(a.Value) == 0 {
			continue
		}
		// A server that does not quote makes several tokens of a text.
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
