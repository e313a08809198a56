package lens

import (
	"context"
	"slices"
)

// ParseResult is a URL as one parser reads it. Each part is the text that the parser returns,
// which may be decoded. A nil part is absent, and "" is a present but empty part.
type ParseResult struct {
	// OK reports whether the parser accepts the URL. A standard that rejects the URL may
	// still return parts.
	OK bool
	// Error is the reason why the parser rejects the URL. Error may quote a password.
	Error string

	Scheme, User, Password, Host, Port *string
	// Path begins with the "/" after the host, if the URL contains that "/".
	Path            *string
	Query, Fragment *string

	// Unseen lists the parts that the parser does not expose. Unseen parts are nil, and never
	// count as differences.
	Unseen []string
}

// PartNames returns the part names of a [ParseResult], in the order of a URL.
func PartNames() []string {
	return []string{"scheme", "user", "password", "host", "port", "path", "query", "fragment"}
}

// Part returns the part with the given name.
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

// Kind is the kind of a parser.
type Kind string

const (
	KindStandard Kind = "standard" // the rules of a standard
	KindParser   Kind = "parser"   // a program or library in use
)

// Parser parses URLs with the rules of one standard, or with one program or library. The
// methods of a Parser may be called concurrently.
type Parser interface {
	// Name returns a name that must be unique among the parsers of a Lens, such as "net/url".
	Name() string
	Kind() Kind
	// Version returns the version of the parser, as the parser reports it.
	Version(ctx context.Context) (string, error)
	// Parse returns a result for each URL, in order. A URL may contain any octets. An error
	// means that the parser failed and returned no result for any URL.
	Parse(ctx context.Context, urls []string) ([]ParseResult, error)
}

// funcParser is a Parser that calls a function.
type funcParser struct {
	name, version string
	kind          Kind
	read          func(url string) ParseResult
}

func (r funcParser) Name() string                            { return r.name }
func (r funcParser) Kind() Kind                              { return r.kind }
func (r funcParser) Version(context.Context) (string, error) { return r.version, nil }

func (r funcParser) Parse(ctx context.Context, urls []string) ([]ParseResult, error) {
	list := make([]ParseResult, 0, len(urls))
	for _, url := range urls {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list = append(list, r.read(url))
	}
	return list, nil
}

// optionalPart returns a pointer to text, or nil if ok is false.
func optionalPart(text string, ok bool) *string {
	if !ok {
		return nil
	}
	return &text
}

// nonEmpty returns a part from a parser that returns "" for both empty and absent parts. For an
// empty text, the result is nil.
func nonEmpty(text string) *string { return optionalPart(text, text != "") }

func value(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}
