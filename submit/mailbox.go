package submit

import (
	"cmp"
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
	// ErrAddress means that a text is not a mail address.
	ErrAddress = errors.New("not an address")
	// ErrField means that a header field can't contain a text.
	ErrField = errors.New("invalid header field")
)

// Mailbox is a sender or recipient (RFC 5322 section 3.4).
type Mailbox struct {
	Name    string // optional decoded name; surrounding spaces are ignored
	Address string // addr-spec such as "joe@host.dom", including any quotes
}

// String returns m in the format in which a user would write it.
func (m Mailbox) String() string {
	name := m.name()
	if name == "" {
		return m.Address
	}
	return quoteName(name) + " <" + m.Address + ">"
}

func (m Mailbox) name() string { return strings.TrimSpace(m.Name) }

// ParseMailboxes parses a comma-separated list of addresses with or without names (RFC 5322).
// If text is invalid, ParseMailboxes returns an error that wraps [ErrAddress]. An address with
// an empty quoted local part or with an IPv6 address must have no name, and must be the only
// address in the list. The reason for this restriction is that package net/mail can't parse
// such an address.
func ParseMailboxes(text string) ([]Mailbox, error) {
	if addressFault(text) == "" {
		// Package net/mail rejects an IPv6 address after "@", and an empty quoted string
		// before "@".
		return []Mailbox{{Address: text}}, nil
	}
	list, err := mail.ParseAddressList(text)
	if err != nil {
		return nil, fmt.Errorf("submit: %w: %s: %s", ErrAddress, locus.Quote(text), strings.TrimPrefix(err.Error(), "mail: "))
	}
	var boxes []Mailbox
	for _, a := range list {
		// Package net/mail removes the quotes of the local part, and the method String
		// restores the quotes.
		spec := (&mail.Address{Address: a.Address}).String()
		box := Mailbox{Name: a.Name, Address: spec[1 : len(spec)-1]}
		if err := box.check(); err != nil {
			return nil, err
		}
		boxes = append(boxes, box)
	}
	return boxes, nil
}

func (m Mailbox) check() error {
	if err := CheckAddress(m.Address); err != nil {
		return err
	}
	return checkText("the name of "+m.Address, m.Name)
}

// CheckAddress returns an error if address is not a Mailbox of RFC 5321 section 4.1.2 with
// UTF-8 (RFC 6531 section 3.3). The local part may be an empty quoted string. The domain may
// be a single label, even a number. A domain literal must be an IP address. Errors wrap
// [ErrAddress].
func CheckAddress(address string) error {
	if help := addressFault(address); help != "" {
		return fmt.Errorf("submit: %w: %s: %s", ErrAddress, locus.Quote(address), help)
	}
	return nil
}

func addressFault(address string) string {
	if faults := addrspec.FaultsUTF8(escape.Encode(address, escape.Unreserved())); len(faults) > 0 {
		return faults[0].Help
	}
	if i := strings.IndexFunc(address, isHidden); i >= 0 {
		r, _ := utf8.DecodeRuneInString(address[i:])
		return fmt.Sprintf("the invisible character %U can't be in an address", r)
	}
	local, domain := split(address)
	switch {
	case len(local) > 64:
		return fmt.Sprintf("the local part has %d bytes: the limit is 64", len(local))
	case len(domain) > 255:
		return fmt.Sprintf("the domain has %d bytes: the limit is 255", len(domain))
	case domain[0] == '[':
		return literalFault(domain)
	}
	for label := range strings.SplitSeq(domain, ".") {
		if !isLabel(label) {
			return fmt.Sprintf("invalid domain label %s: use letters, digits and hyphens", locus.Quote(label))
		}
	}
	return ""
}

func split(address string) (local, domain string) {
	at := strings.LastIndexByte(address, '@')
	return address[:at], address[at+1:]
}

// isHidden reports whether r is invisible or changes the text direction. An address with such
// a character could mislead the user.
func isHidden(r rune) bool { return !unicode.IsGraphic(r) || r != ' ' && unicode.IsSpace(r) }

func literalFault(literal string) string {
	const help = "brackets need an IP address: [192.0.2.1] or [IPv6:2001:db8::1]"
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

// isLabel reports whether label is a sub-domain of RFC 5321 section 4.1.2 or a U-label of RFC 6531
// section 3.3.
func isLabel(label string) bool {
	const longest = 63
	if label == "" || len(label) > longest || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	return strings.IndexFunc(label, func(r rune) bool {
		if r < utf8.RuneSelf {
			return r != '-' && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
		}
		return !unicode.In(r, unicode.L, unicode.M, unicode.N)
	}) < 0
}

// envelope returns the addresses in the lists without duplicates. Domains are compared without
// regard to case.
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

// checkText returns an error if a header field can't contain text. The error refers to the text
// as name.
func checkText(name, text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("submit: %w: %s is not UTF-8: %s", ErrField, name, locus.Quote(text))
	}
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		r, _ := utf8.DecodeRuneInString(text[i:])
		control := cmp.Or(map[rune]string{'\r': "CR", '\n': "LF", 0: "NUL"}[r], fmt.Sprintf("%U", r))
		return fmt.Errorf("submit: %w: %s contains the control character %s at byte %d", ErrField, name, control, i)
	}
	return nil
}
