package lens

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
)

// hidden replaces a password.
const hidden = "***"

// Masked returns a copy of r for people and logs: each password, in whatever part a reader
// has put it, is "***". Octets that are not UTF-8 are read as ISO Latin 1.
func (r *Report) Masked() Report {
	secrets := secretsOf(r)
	hide := func(text string) string { return charset.Text(hide(text, secrets)) }
	masked := *r
	masked.Input = hide(r.Input)
	masked.Why = hide(r.Why)
	masked.Readers = slices.Clone(r.Readers)
	for i := range masked.Readers {
		a := &masked.Readers[i]
		a.Error = hide(locus.MaskText(a.Error))
		a.Failure = hide(locus.MaskText(a.Failure))
		for j, p := range a.parts() {
			if *p == nil {
				continue
			}
			text := hide(**p)
			if PartNames()[j] == "password" && text != "" {
				text = hidden
			}
			*p = &text
		}
	}
	return masked
}

// secretsOf returns the passwords that a reader of r finds, or that may be one, the
// longest first.
func secretsOf(r *Report) []string {
	var list []string
	add := func(text string) {
		if text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	masked := locus.Mask(r.Input)
	for i := 0; i < len(masked); i++ {
		start := i
		for i < len(masked) && masked[i] == '*' && r.Input[i] != '*' {
			i++
		}
		add(r.Input[start:i])
		add(unescape(r.Input[start:i]))
	}
	for _, a := range r.Readers {
		add(value(a.Password))
		add(unescape(value(a.Password)))
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

func hide(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return text
}

// answerJSON is an Answer in JSON.
type answerJSON struct {
	Name     string         `json:"name"`
	Version  string         `json:"version"`
	Kind     Kind           `json:"kind"`
	OK       bool           `json:"ok"`
	Error    *string        `json:"error"`
	Failed   bool           `json:"failed,omitempty"` // the reader, not the URL
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

// MarshalJSON writes r as `locus lens --json` does, with passwords as "***".
func (r Report) MarshalJSON() ([]byte, error) {
	m := r.Masked()
	answers := make([]answerJSON, len(m.Readers))
	for i, a := range m.Readers {
		answers[i] = answerJSON{
			Name: a.Name, Version: a.Version, Kind: a.Kind, OK: a.OK, Error: filled(a.Error),
			Scheme: a.Scheme, User: a.User, Password: a.Password, Host: a.Host, Port: a.Port,
			Path: a.Path, Query: a.Query, Fragment: a.Fragment,
			Unseen: a.Unseen, Offsets: a.Offsets,
		}
		if a.Failure != "" {
			answers[i].Failed, answers[i].Error = true, &a.Failure
		}
	}
	return json.Marshal(struct {
		Input       string       `json:"input"`
		Readers     []answerJSON `json:"readers"`
		Differences []string     `json:"differences"`
		Confusion   *string      `json:"confusion"`
		Danger      bool         `json:"danger"`
		Why         *string      `json:"why"`
	}{m.Input, answers, append([]string{}, m.Differences...), filled(string(m.Confusion)), m.Danger, filled(m.Why)})
}
