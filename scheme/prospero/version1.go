package prospero

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus/scheme"
)

// oldLinkTokens is the number of tokens in a LINK line of version 1. The last two tokens are the
// version and the magic number of the object.
const oldLinkTokens = 10

// isOld reports whether the first line of the message occurs only in version 1. Nothing else
// distinguishes the replies of the versions.
func isOld(message string) bool {
	if !strings.HasPrefix(message, "LINK") {
		return false
	}
	if strings.HasPrefix(message, "LINK-INFO ") {
		return true
	}
	line, _ := cutRawLine(message)
	if strings.Count(line, " ") != oldLinkTokens-1 {
		return false
	}
	f := strings.Split(line, " ")
	return f[6] == nameASCII && isDigits(f[8]) && isDigits(f[9])
}

func isDigits(token string) bool {
	_, rest := cutDigits(token)
	return token != "" && rest == ""
}

// oldLink adds the link in a LINK line of version 1. The argument fields contains the tokens after
// the word LINK.
func (p *parser) oldLink(fields []string) error {
	fields = slices.Clone(fields)
	var method []string
	if len(fields) >= linkFields {
		fields[1], method = oldType(fields[1])
		fields[2] = oldName(fields[2])
	}
	l, err := parseLink(fields)
	if err != nil {
		return err
	}
	p.addLink(l)
	if method != nil {
		*p.list = append(*p.list, attribute{AppliesTo: "CACHED", Name: attrAccessMethod, Type: valueSequence, Value: method})
	}
	return nil
}

// oldType returns the version 5 link type for a version 1 type. If the type contains an access
// method, as in EXTERNAL(AFTP,BINARY), oldType also returns the method.
func oldType(text string) (linkType string, method []string) {
	if text == "SYM-LINK" {
		return typeSymbolic, nil
	}
	inner, ok := strings.CutPrefix(text, typeExternal+"(")
	if ok {
		inner, ok = strings.CutSuffix(inner, ")")
	}
	if !ok {
		return text, nil
	}
	words := strings.Split(inner, ",")
	return typeExternal, append([]string{words[0], "", "", "", ""}, words[1:]...)
}

// oldName returns the name of a link in version 1. In this version, servers quote only names that
// contain non-ASCII octets.
func oldName(text string) string {
	beyond := func(r rune) bool { return r > '~' }
	if !isToken(text) || strings.IndexFunc(text, beyond) < 0 {
		return text
	}
	return unquote(text)
}

// oldAttribute adds the attribute of a LINK-INFO line of version 1.
func (p *parser) oldAttribute(fields []string) error {
	const minFields = 3 // minimum number of fields: applies to, name, type
	if len(fields) < minFields {
		return fmt.Errorf("%w: LINK-INFO with %d of %d fields", scheme.ErrProtocol, len(fields), minFields)
	}
	*p.list = append(*p.list, attribute{AppliesTo: fields[0], Name: fields[1], Type: valueSequence, Value: slices.Clone(fields[minFields:])})
	return nil
}
