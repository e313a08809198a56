package lens

import (
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/scheme"
)

// replacement is the text that replaces a password.
const replacement = "***"

// Masked returns a copy of r for people and logs. Masked replaces each password with "***", in
// every part of every result. Masked decodes octets that are not valid UTF-8 as ISO Latin 1.
func (r *Report) Masked() Report {
	m := newMask(r)
	masked := *r
	masked.Input = charset.Text(m.hideAt(r.Input, 0))
	masked.Results = slices.Clone(r.Results)
	for i := range masked.Results {
		a := &masked.Results[i]
		a.Error = charset.Text(m.hideSecrets(locus.MaskText(a.Error)))
		a.Failure = charset.Text(m.hideSecrets(locus.MaskText(a.Failure)))
		for j, p := range a.parts() {
			if *p != nil {
				text := charset.Text(m.maskPart(PartNames()[j], **p, a.Offsets))
				*p = &text
			}
		}
	}
	return masked
}

// Format writes the explanation and the URL without its passwords. Format hides passwords for
// every verb, because messages and logs must not show a password by accident.
func (r Report) Format(f fmt.State, _ rune) {
	m := r.Masked()
	text := m.Input
	if m.Why != "" {
		text += ": " + m.Why
	}
	_, _ = io.WriteString(f, text)
}

// HasPassword reports whether the URL contains a password, or a text that some parser reads as
// a password.
func (r *Report) HasPassword() bool {
	m := newMask(r)
	return slices.Contains(m.hidden, true) || len(m.secrets) > 0
}

// maxSecrets limits the texts to hide, because a hostile URL may contain thousands of pieces.
const maxSecrets = 64

// mask holds the passwords of a report.
type mask struct {
	hidden  []bool   // for each octet of the URL, whether it is part of a password
	secrets []string // the texts to hide, longest first; incomplete if more than maxSecrets
}

func newMask(r *Report) mask {
	m := mask{hidden: make([]bool, len(r.Input))}
	m.hideURL(r)
	// For a URL without "//", locus.Mask is more reliable than programs that guess a login.
	if strings.Contains(r.Input, "//") || strings.Contains(r.Input, `\`) {
		for _, a := range r.Results {
			password := value(a.Password)
			if at, ok := a.Offsets["password"]; ok {
				password = password[passwordAfterHost(r, at, at+len(password))-at:]
				m.hideRange(at+len(value(a.Password))-len(password), at+len(value(a.Password)))
			}
			m.addSecret(password)
			m.addSecret(unescape(password))
		}
	}
	slices.SortFunc(m.secrets, func(a, b string) int { return len(b) - len(a) })
	return m
}

// hideURL hides the same text as locus.Mask, with two exceptions: an invalid port of a URL
// without a login, and the host that a parser contacts.
func (m *mask) hideURL(r *Report) {
	url, masked := r.Input, locus.Mask(r.Input)
	for i := 0; i < len(masked); i++ {
		start := i
		for i < len(masked) && masked[i] == '*' && url[i] != '*' {
			i++
		}
		start = passwordAfterHost(r, start, i)
		text := url[start:i]
		if strings.Trim(text, ":0123456789") != "" || strings.Contains(url[i:], "@") {
			m.hideRange(start, i)
			m.addSecret(text)
			m.addSecret(unescape(text))
		}
	}
}

// passwordAfterHost returns the offset of the password in url[start:end], a part of the URL that
// locus.Mask hides. If a parser contacts a host with a known scheme, and the part begins with
// that host, the password begins after the next ":". If no ":" follows, as in
// "http:127.0.0.1#@h", the part contains no password.
func passwordAfterHost(r *Report, start, end int) int {
	host := 0
	for _, a := range r.Results {
		at, ok := a.Offsets["host"]
		if !ok || !a.OK || at > start+slashesAt(r.Input[start:end]) || scheme.NameStatus(strings.ToLower(value(a.Scheme))) == "" {
			continue
		}
		_, err := netip.ParseAddr(strings.Trim(*a.Host, "[]"))
		isOdd := func(r rune) bool { return r >= 0x80 || !isAlphanumeric(byte(r)) && !strings.ContainsRune(".-_", r) }
		if err == nil || !strings.ContainsFunc(*a.Host, isOdd) { // the host contains no escaped ":" or "@"
			host = max(host, at+len(*a.Host))
		}
	}
	if host <= start {
		return start
	}
	if colon := strings.IndexByte(r.Input[min(host, end):end], ':'); colon >= 0 {
		return host + colon + 1
	}
	return end
}

// slashesAt returns the number of slashes at the beginning of text.
func slashesAt(text string) int { return len(text) - len(strings.TrimLeft(text, `/\`)) }

func (m *mask) hideRange(start, end int) {
	for i := start; i < end; i++ {
		m.hidden[i] = true
	}
}

// addSecret adds a secret and its pieces, because a parser that finds a delimiter in the secret
// returns only a piece of it.
func (m *mask) addSecret(secret string) {
	pieces := strings.FieldsFunc(secret, func(r rune) bool { return strings.ContainsRune(`#?/@\:`, r) || isControl(r) })
	for _, text := range append(pieces, secret) {
		if len(m.secrets) > maxSecrets {
			return
		}
		if text != "" && !slices.Contains(m.secrets, text) {
			m.secrets = append(m.secrets, text)
		}
	}
}

// maskPart hides the secrets in a part of a result. If offsets contains the name of the part,
// maskPart hides the octets that belong to a password in the URL. maskPart does not hide a port
// without an offset, which is the scheme's default port.
func (m *mask) maskPart(name, text string, offsets map[string]int) string {
	at, found := offsets[name]
	switch {
	case name == "password" && text != "":
		return replacement
	case found:
		return m.hideAt(text, at)
	case name == "port":
		return text
	}
	return m.hideSecrets(text)
}

// hideAt hides the octets of text that are part of a password in the URL. The URL contains text
// at offset.
func (m *mask) hideAt(text string, offset int) string {
	var b strings.Builder
	for i := range len(text) {
		at := offset + i
		switch {
		case !m.hidden[at]:
			b.WriteByte(text[i])
		case i == 0 || !m.hidden[at-1]:
			b.WriteString(replacement)
		}
	}
	return b.String()
}

// shortSecret is the length below which a secret is hidden only as a separate word, because a
// single letter occurs in almost every message.
const shortSecret = 4

// hideSecrets hides every secret in text. If the report contains too many secrets, hideSecrets
// hides the whole text.
func (m *mask) hideSecrets(text string) string {
	if text != "" && len(m.secrets) > maxSecrets {
		return replacement
	}
	for _, secret := range m.secrets {
		if len(secret) >= shortSecret {
			text = strings.ReplaceAll(text, secret, replacement)
		} else {
			text = hideWord(text, secret)
		}
	}
	return text
}

// hideWord hides each occurrence of the secret that is not next to a letter or digit.
func hideWord(text, secret string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		end := at + len(secret)
		if strings.HasPrefix(text[at:], secret) && (at == 0 || !isAlphanumeric(text[at-1])) && (end == len(text) || !isAlphanumeric(text[end])) {
			b.WriteString(replacement)
			at = end
			continue
		}
		b.WriteByte(text[at])
		at++
	}
	return b.String()
}

type resultJSON struct {
	Name     string         `json:"name"`
	Version  string         `json:"version"`
	Kind     Kind           `json:"kind"`
	OK       bool           `json:"ok"`
	Error    *string        `json:"error"`
	Failed   bool           `json:"failed,omitempty"` // the parser did not run correctly
	Scheme   *string        `json:"scheme"`
	User     *string        `json:"user"`
	Password *string        `json:"password"`
	Host     *string        `json:"host"`
	Port     *string        `json:"port"`
	Path     *string        `json:"path"`
	Query    *string        `json:"query"`
	Fragment *string        `json:"fragment"`
	Unseen   []string       `json:"unseen,omitempty"`
	Offsets  map[string]int `json:"offsets"`
}

type reportJSON struct {
	Input       string       `json:"input"`
	Readers     []resultJSON `json:"readers"`
	Differences []string     `json:"differences"`
	Confusion   *string      `json:"confusion"`
	Danger      bool         `json:"danger"`
	Why         *string      `json:"why"`
	Advisories  []Advisory   `json:"advisories,omitempty"`
}

// MarshalJSON writes r in the format of `locus lens --json`, with "***" for each password.
func (r Report) MarshalJSON() ([]byte, error) {
	m := r.Masked()
	answers := make([]resultJSON, len(m.Results))
	for i, a := range m.Results {
		answers[i] = resultJSON{
			Name: a.Name, Version: a.Version, Kind: a.Kind, OK: a.OK, Error: nonEmpty(a.Error),
			Scheme: a.Scheme, User: a.User, Password: a.Password, Host: a.Host, Port: a.Port,
			Path: a.Path, Query: a.Query, Fragment: a.Fragment,
			Unseen: a.Unseen, Offsets: a.Offsets,
		}
		if a.Failure != "" {
			answers[i].Failed, answers[i].Error = true, &a.Failure
		}
	}
	return json.Marshal(reportJSON{m.Input, answers, append([]string{}, m.Differences...), nonEmpty(string(m.Confusion)), m.Danger, nonEmpty(m.Why), r.Advisories()})
}
