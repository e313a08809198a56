package base

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// HostField is a header field for URLs that match a pattern.
type HostField struct {
	URL         policy.Pattern
	Name, Value string
}

// cutHost splits "PATTERN: Name: value". It returns false if the text contains no pattern. A field
// name cannot contain the characters that distinguish a host or URL.
func cutHost(text string) (pattern, field string, ok bool) {
	pattern, field, ok = strings.Cut(text, ": ")
	ok = ok && (strings.ContainsAny(pattern, "./*[:") || pattern == "localhost") && strings.Contains(field, ":")
	return pattern, field, ok
}

// addHostField adds a field for URLs that match a pattern.
func (a *App) addHostField(pattern, line string) error {
	p, err := policy.ParsePattern(pattern, nil)
	if err != nil {
		return err
	}
	name, value, _ := strings.Cut(line, ":")
	f, err := a.Field(strings.TrimSpace(name), value)
	if err != nil {
		return err
	}
	f.URL = p
	a.Flags.HostFields = append(a.Flags.HostFields, f)
	return nil
}

// Field returns a header field, with the value resolved by [App.Secret]. Its errors do not
// contain the value.
func (a *App) Field(name, value string) (HostField, error) {
	value, err := a.Secret(strings.Trim(value, " \t"))
	if err != nil {
		return HostField{}, err
	}
	name, err = fieldName(name, value)
	return HostField{Name: name, Value: value}, err
}

// fieldName returns the canonical form of a field name. It returns an error for a field
// that must not be set.
func fieldName(name, value string) (string, error) {
	if !httpguts.ValidHeaderFieldName(name) {
		return "", errors.New(`write a field as "Name: value"`)
	}
	name = http.CanonicalHeaderKey(name)
	switch {
	case !httpguts.ValidHeaderFieldValue(value):
		return "", fmt.Errorf("the value of %s has a control character", name)
	case ownFields[name]:
		return "", fmt.Errorf("%s is set by the client", name)
	}
	return name, nil
}

// maxSecret limits the size of a file with one value, in bytes.
const maxSecret = 64 << 10

// Secret resolves a configured value. It replaces "env:NAME" with the value of the environment
// variable NAME, and "@FILE" with the content of the file. In any other text, it expands "$NAME"
// and "${NAME}". Its errors do not contain values.
func (a *App) Secret(text string) (string, error) {
	if name, ok := strings.CutPrefix(text, "env:"); ok {
		return a.variable(name)
	}
	if name, ok := strings.CutPrefix(text, "@"); ok {
		content, err := ReadFile(a.ExpandHome(name), maxSecret)
		return strings.TrimRight(string(content), "\r\n"), err
	}
	words := strings.Split(text, " ")
	for i, word := range words {
		name, ok := strings.CutPrefix(word, "$")
		if !ok || name == "" {
			continue
		}
		if inner, ok := strings.CutPrefix(name, "{"); ok {
			name = strings.TrimSuffix(inner, "}")
		}
		value, err := a.variable(name)
		if err != nil {
			return "", err
		}
		words[i] = value
	}
	return strings.Join(words, " "), nil
}

// variable returns the value of an environment variable, or an error if the variable is not set.
func (a *App) variable(name string) (string, error) {
	value := a.Getenv(name)
	if value == "" {
		return "", fmt.Errorf("the environment variable %s is not set", locus.Quote(name))
	}
	return value, nil
}

// FieldsFor returns the header fields whose patterns match the URL u, or nil if no pattern
// matches.
func FieldsFor(fields []HostField, u locus.URL, registry *scheme.Registry) http.Header {
	if len(fields) == 0 {
		return nil
	}
	if canonical, _, err := registry.Canonical(u); err == nil {
		u = canonical
	}
	port := registry.Port(u)
	var h http.Header
	for f := range slices.Values(fields) {
		if f.URL.Matches(u, port) {
			if h == nil {
				h = make(http.Header)
			}
			h.Add(f.Name, f.Value)
		}
	}
	return h
}
