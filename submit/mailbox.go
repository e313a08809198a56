package submit

import (
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
)

var (
	// ErrAddress: a text is no address that mail can be sent to or from.
	ErrAddress = errors.New("not an address")
	// ErrField: a text can't be in a header field.
	ErrField = errors.New("can't be in a header field")
)

// Mailbox is the mailbox of RFC 5322 section 3.4: somebody who writes or gets mail.
type Mailbox struct {
	Name    string // decoded; may be empty, and blanks around it count for nothing
	Address string // an addr-spec, quotes included: "joe@host.dom"
}

// String returns m in characters, as a person would write it.
func (m Mailbox) String() string {
	name := m.name()
	if name == "" {
		return m.Address
	}
	return quoteName(name) + " <" + m.Address + ">"
}

// name is Name as readers have it.
func (m Mailbox) name() string { return strings.TrimSpace(m.Name) }

// ParseMailboxes reads a list of mailboxes as people write it, with commas between
// them: addresses with or without names, in RFC 5322's form. The error wraps
// [ErrAddress].
func ParseMailboxes(text string) ([]Mailbox, error) {
	if addressFault(text) == "" {
		// Package net/mail does not know an IPv6 address behind "@".
		return []Mailbox{{Address: text}}, nil
	}
	list, err := mail.ParseAddressList(text)
	if err != nil {
		return nil, fmt.Errorf("submit: %w: %s: %s", ErrAddress, locus.Quote(text), strings.TrimPrefix(err.Error(), "mail: "))
	}
	var boxes []Mailbox
	for _, a := range list {
		// The local part comes without its quotes. They are put on again where it
		// needs them.
		spec := (&mail.Address{Address: a.Address}).String()
		box := Mailbox{Name: a.Name, Address: spec[1 : len(spec)-1]}
		if err := box.check(); err != nil {
			return nil, err
		}
		boxes = append(boxes, box)
	}
	return boxes, nil
}

// check reports what is wrong with m.
func (m Mailbox) check() error {
	if err := CheckAddress(m.Address); err != nil {
		return err
	}
	return checkText("the name of "+m.Address, m.Name)
}

// CheckAddress reports whether mail can be sent to address: whether it is a
// Mailbox of RFC 5321 section 4.1.2, in which there may be UTF-8 as RFC 6531
// section 3.3 has it. A domain literal is an IP address. The error wraps
// [ErrAddress].
func CheckAddress(address string) error {
	if help := addressFault(address); help != "" {
		return fmt.Errorf("submit: %w: %s: %s", ErrAddress, locus.Quote(address), help)
	}
	return nil
}

// addressFault says what is wrong with an address; nothing, if nothing is.
func addressFault(address string) string {
	if faults := addrspec.FaultsUTF8(escape.Encode(address, escape.Unreserved())); len(faults) > 0 {
		return faults[0].Help
	}
	if i := strings.IndexFunc(address, isHidden); i >= 0 {
		r, _ := utf8.DecodeRuneInString(address[i:])
		return fmt.Sprintf("%U can't be seen, and is not in addresses", r)
	}
	local, domain := split(address)
	switch {
	case len(local) > 64:
		return fmt.Sprintf("the local part has %d octets, and 64 are the most", len(local))
	case len(domain) > 255:
		return fmt.Sprintf("the domain has %d octets, and 255 are the most", len(domain))
	case domain[0] == '[':
		return literalFault(domain)
	}
	for label := range strings.SplitSeq(domain, ".") {
		if !isLabel(label) {
			return fmt.Sprintf("%s is no part of a domain: those are of letters, digits and hyphens", locus.Quote(label))
		}
	}
	return ""
}

// split divides an address that is one at its "@".
func split(address string) (local, domain string) {
	at := strings.LastIndexByte(address, '@')
	return address[:at], address[at+1:]
}

// isHidden reports whether r has no shape of its own: what turns the direction of
// writing, or is nowhere, must not be in an address that a person judges.
func isHidden(r rune) bool { return !unicode.IsGraphic(r) || r != ' ' && unicode.IsSpace(r) }

// literalFault says what is wrong with a domain literal.
func literalFault(literal string) string {
	const help = "in brackets is an IP address: [192.0.2.1] or [IPv6:2001:db8::1]"
	text := strings.TrimSuffix(literal[1:], "]")
	const tag = "ipv6:"
	six := len(text) > len(tag) && strings.EqualFold(text[:len(tag)], tag)
	if six {
		text = text[len(tag):]
	}
	ip, err := netip.ParseAddr(text)
	if err != nil || ip.Is4() == six || ip.Zone() != "" {
		return help
	}
	return ""
}

// isLabel reports whether label is the sub-domain of RFC 5321 section 4.1.2 or the
// U-label of RFC 6531 section 3.3.
func isLabel(label string) bool {
	const most = 63
	if label == "" || len(label) > most || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	return strings.IndexFunc(label, func(r rune) bool {
		if r < utf8.RuneSelf {
			return r != '-' && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
		}
		return !unicode.In(r, unicode.L, unicode.M, unicode.N)
	}) < 0
}

// envelope returns the addresses of lists, each once. A domain has no case.
func envelope(lists ...[]Mailbox) []string {
	var all []string
	seen := map[string]bool{}
	for _, m := range slices.Concat(lists...) {
		local, domain := split(m.Address)
		key := local + "@" + strings.ToLower(domain)
		if !seen[key] {
			seen[key] = true
			all = append(all, m.Address)
		}
	}
	return all
}

// checkText reports what can't be in a header field in a text for one. name says
// which text that is.
func checkText(name, text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("submit: %s %w: it is no UTF-8: %s", name, ErrField, locus.Quote(text))
	}
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		r, _ := utf8.DecodeRuneInString(text[i:])
		return fmt.Errorf("submit: %s %w: at octet %d is %s, and no control character may be there", name, ErrField, i, controlName(r))
	}
	return nil
}

func controlName(r rune) string {
	if name, ok := map[rune]string{'\r': "CR", '\n': "LF", 0: "NUL"}[r]; ok {
		return name
	}
	return fmt.Sprintf("%U", r)
}
