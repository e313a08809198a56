package prospero

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// These constants are limits of a reply. The ARDP client also limits the number of packets in a
// message.
const (
	maxLines = 100_000
	maxToken = 1 << 20 // maximum number of octets in a token, except the contents of an object
)

// reply is a server's reply to a request.
type reply struct {
	Links      []link      // links in the server's order
	Attributes []attribute // attributes of the object in the server's order
	Warnings   []string    // texts for the user; not safe for a terminal
	Forwarded  *target     // new address of the object; nil if the object has not moved
	// Failure is a [*failureError] if the server rejected the request. In this case, the other
	// fields do not contain an answer.
	Failure error
	Old     bool // the reply uses version 1 of the protocol
}

// failureError is the server's rejection of a request. It wraps the error of package scheme that
// corresponds to the field Word, such as [scheme.ErrNotFound].
type failureError struct {
	Word string // failure word, such as NOT-FOUND, ERROR or VERSION-NOT-SUPPORTED
	Text string // the server's text; may be empty
}

func (e *failureError) Error() string {
	text := fmt.Sprintf("%v: the server says %s", e.Unwrap(), locus.Quote(e.Word))
	if e.Text != "" {
		text += ": " + locus.Quote(e.Text)
	}
	return text
}

// These words of a [failureError] begin their own lines, without FAILURE.
const (
	wordError   = "ERROR"
	wordVersion = "VERSION-NOT-SUPPORTED"
)

// wordNotDirectory means that an object is not a directory, or that a directory does not
// exist.
const wordNotDirectory = "NOT-A-DIRECTORY"

// Unwrap returns the error of package scheme that corresponds to e.Word.
func (e *failureError) Unwrap() error {
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

// parseReply parses a complete reply. If the reply is malformed, the error wraps
// [scheme.ErrProtocol] or [scheme.ErrTooLarge], and the caller must not use any part of the reply.
// If the server rejected the request, parseReply returns the rejection in the reply, not as an
// error.
func parseReply(message []byte) (*reply, error) {
	text := string(message)
	p := parser{reply: &reply{}}
	p.list = &p.reply.Attributes
	for rest := text; rest != ""; {
		offset := len(text) - len(rest)
		var err error
		if rest, err = p.parseLine(rest); err != nil {
			// Empty lines do not count in the line number.
			return nil, fmt.Errorf("line %d of the reply, at octet %d: %w", p.lines, offset, err)
		}
	}
	if p.lines == 0 {
		return nil, fmt.Errorf("%w: the reply is empty", scheme.ErrProtocol)
	}
	if t := forwarding(p.reply.Attributes); t != nil && p.reply.Forwarded == nil {
		// When a client requests all attributes of a moved object, a server sends this
		// attribute and then rejects the request.
		p.reply.Forwarded, p.reply.Failure = t, nil
	}
	return p.reply, nil
}

// parser reads a reply line by line.
type parser struct {
	reply  *reply
	lines  int
	tokens []string     // tokens of the current line
	list   *[]attribute // attributes of the object, or of the last link
	// depth is the maximum number of ">" signs before the next attribute. If an attribute
	// contains a link, the attributes of that link have one more ">" sign.
	depth int
}

// parseLine parses the first line of a message, and returns the rest of the message.
func (p *parser) parseLine(message string) (rest string, err error) {
	if l, rest, ok := cutNullLink(message); ok {
		if err := p.count(); err != nil {
			return "", err
		}
		p.addLink(l)
		return rest, nil
	}
	line, rest, closed := p.cutFirstLine(message)
	if trimBlanks(line) == "" {
		return rest, nil
	}
	if err := p.count(); err != nil {
		return "", err
	}
	if !closed {
		return p.parseOpenLine(line)
	}
	p.split(line)
	if err := p.checkTokens(); err != nil {
		return "", err
	}
	return rest, p.parseTokens(line)
}

func (p *parser) count() error {
	if p.lines++; p.lines > maxLines {
		return fmt.Errorf("%w: more than %d lines", scheme.ErrTooLarge, maxLines)
	}
	return nil
}

// cutFirstLine splits message after its first line.
func (p *parser) cutFirstLine(message string) (line, rest string, closed bool) {
	p.reply.Old = p.reply.Old || isOld(message)
	if p.reply.Old {
		line, rest = cutRawLine(message)
		return line, rest, true
	}
	return cutLine(message)
}

// parseOpenLine parses a line whose quotes stay open until the end of the message. Such a line is
// an error, unless it is a rejection. The text of a rejection is more useful to the user than an
// error about quotes.
func (p *parser) parseOpenLine(message string) (rest string, err error) {
	line, rest := cutRawLine(message)
	switch word, _, _ := strings.Cut(line, " "); word {
	case "FAILURE", wordError:
		p.tokens = strings.FieldsFunc(line, isBlank)
		return rest, p.parseTokens(line)
	}
	return "", fmt.Errorf("%w: unclosed quotes", scheme.ErrProtocol)
}

func (p *parser) split(line string) {
	if p.reply.Old {
		p.tokens = strings.FieldsFunc(line, isBlank)
	} else {
		p.tokens = appendTokens(p.tokens[:0], line)
	}
}

// checkTokens returns an error if a token is too long. The contents of an object have no limit
// except the size of a message.
func (p *parser) checkTokens() error {
	for i, token := range p.tokens {
		if len(token) > maxToken && !(i > 0 && p.tokens[i-1] == dataWord && slices.Contains(p.tokens[:i], attrContents)) {
			return fmt.Errorf("%w: a token of %d bytes", scheme.ErrTooLarge, len(token))
		}
	}
	return nil
}

// parseTokens parses a line whose tokens are in p.tokens.
func (p *parser) parseTokens(line string) error {
	r := p.reply
	word, fields := p.tokens[0], p.tokens[1:]
	switch word {
	case "LINK":
		return p.link(fields)
	case "LINK-INFO":
		return p.oldAttribute(fields)
	case "FORWARDED":
		return p.forwarded(fields)
	case "UNRESOLVED":
		return fmt.Errorf("%w: the server left components unresolved that were not requested: %s", scheme.ErrProtocol, locus.Quote(strings.Join(fields, " ")))
	case "FAILURE":
		failure := &failureError{Text: p.textAfter(line, 2)}
		if len(fields) > 0 {
			failure.Word = fields[0]
		}
		p.fail(failure)
	case wordError, wordVersion:
		p.fail(&failureError{Word: word, Text: p.textAfter(line, 1)})
	case "WARNING":
		p.warning(line, fields)
	case "AUTHENTICATED", "ID", "NONE-FOUND", "PARAMETER", "SUCCESS", "VERSION":
	default:
		if signs, ok := strings.CutPrefix(word, "ATTRIBUTE"); ok && strings.Trim(signs, ">") == "" {
			return p.attribute(len(signs), fields)
		}
		r.Warnings = append(r.Warnings, "unknown line in the reply: "+locus.Quote(line))
	}
	return nil
}

// textAfter returns a line without its first n tokens and without quotes.
func (p *parser) textAfter(line string, n int) string {
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

func (p *parser) fail(failure *failureError) {
	if p.reply.Failure == nil {
		p.reply.Failure = failure
	}
}

// warning records a warning for the user. The word after WARNING is part of the text,
// unless the word is MESSAGE.
func (p *parser) warning(line string, fields []string) {
	skip := 1
	if len(fields) > 0 && fields[0] == "MESSAGE" {
		skip = 2
	}
	if text := p.textAfter(line, skip); text != "" {
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

// addLink adds a link. The next attributes belong to that link.
func (p *parser) addLink(l link) {
	p.reply.Links = append(p.reply.Links, l)
	p.list, p.depth = &p.reply.Links[len(p.reply.Links)-1].Attributes, 0
}

// attribute adds an attribute. It ignores an attribute whose depth is 1 or more, because such an
// attribute belongs to a link inside another attribute.
func (p *parser) attribute(depth int, fields []string) error {
	if depth > p.depth {
		return fmt.Errorf("%w: an attribute of a missing link", scheme.ErrProtocol)
	}
	a, err := parseAttribute(fields)
	if errors.Is(err, errValueType) {
		p.reply.Warnings = append(p.reply.Warnings, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	p.depth = depth
	if a.Link != nil {
		p.depth++
	}
	if depth == 0 {
		*p.list = append(*p.list, a)
	}
	return nil
}

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
		return fmt.Errorf("%w: FORWARDED to something other than a Prospero server: %w", scheme.ErrProtocol, err)
	}
	if p.reply.Forwarded == nil {
		p.reply.Forwarded = &t
	}
	return nil
}

// These words are the kinds of values that the attribute CONTENTS can have.
const (
	dataWord   = "DATA"
	taggedWord = "TAGGED"
)

// Contents returns the octets of the object. If the reply has no contents, ok is false. Contents
// returns a DATA value unchanged. It returns a TAGGED value as a line that consists of the tag, ":
// " and the text.
func (r *reply) Contents() (octets []byte, ok bool) {
	for _, a := range r.Attributes {
		if !sameName(a.Name, attrContents) || len(a.Value) == 0 {
			continue
		}
		// If a text has no quotes, it consists of several tokens.
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
