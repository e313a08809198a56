package lens

import (
	"context"
	"slices"
)

// ParseResult is a URL as one parser reads it. The parts are texts as the parser returns
// them, some decoded and some not. nil means absent, "" means present and empty.
type ParseResult struct {
	// OK reports whether the parser accepts the URL. A standard that rejects the URL may
	// still return parts.
	OK bool
	// Error is the reason why the parser rejects the URL. It may quote a password.
	Error string

	Scheme, User, Password, Host, Port *string
	// Path begins with the "/" after the host, if there is one.
	Path            *string
	Query, Fragment *string

	// Unseen lists parts that the parser does not expose. They are nil, and never count as
	// differences.
	Unseen []string
}

// PartNames returns the names of the parts of a [ParseResult], in the order of a URL.
func PartNames() []string {
	return []string{"scheme", "user", "password", "host", "port", "path", "query", "fragment"}
}

// Part returns the part of that name.
func (r *ParseResult) Part(name string) *string {
	if i := slices.Index(PartNames(), name); i >= 0 {
		return *r.parts()[i]
	}
	return nil
}

// parts returns the parts in the order of PartNames.
func (r *ParseResult) parts() [8]**string {
	return [...]**string{&r.Scheme, &r.User, &r.Password, &r.Host, &r.Port, &r.Path, &r.Query, &r.Fragment}
}

// Kind says what a reader is.
type Kind string

const (
	KindStandard Kind = "standard" // the rules of a document
	KindParser   Kind = "parser"   // a program or library that is in use
)

// Parser reads URLs by one standard, or with one program or library. Its methods may be called
// concurrently.
type Parser interface {
	// Name is unique among the readers of a Lens: "net/url".
	Name() string
	Kind() Kind
	// Version says which version reads, in the words of the reader.
	Version(ctx context.Context) (string, error)
	// Parse returns a reading for each URL, in order. A URL may be any octets. The error
	// means that the reader failed as a whole, and nothing is known of any URL.
	Parse(ctx context.Context, urls []string) ([]ParseResult, error)
}

// reader is a Parser that is a function.
type reader struct {
	name, version string
	kind          Kind
	read          func(url string) ParseResult
}

func (r reader) Name() string                            { return r.name }
func (r reader) Kind() Kind                              { return r.kind }
func (r reader) Version(context.Context) (string, error) { return r.version, nil }

func (r reader) Parse(ctx context.Context, urls []string) ([]ParseResult, error) {
	list := make([]ParseResult, 0, len(urls))
	for _, url := range urls {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list = append(list, r.read(url))
	}
	return list, nil
}

// present returns a part that may be absent.
func present(text string, ok bool) *string {
	if !ok {
		return nil
	}
	return &text
}

// filled returns a part of a reader that does not tell empty from absent.
func filled(text string) *string { return present(text, text != "") }

func value(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}
