package scheme

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// setDefaults sets the default functions of s, so that callers need not check for nil. If the
// description of the scheme is invalid, setDefaults returns an error.
func (s *Scheme) setDefaults() error {
	switch {
	case !locus.IsScheme(s.Name):
		return fmt.Errorf("scheme: %s is not a scheme name in lower case", locus.Quote(s.Name))
	case s.Status > Experimental:
		return fmt.Errorf("scheme: %s: unknown status %d", s.Name, s.Status)
	case s.Syntax.Clean != 0 && s.Syntax.Check == nil:
		return fmt.Errorf("scheme: %s: Clean has facts, but Check is nil", s.Name)
	case isNil(s.Access.Opener):
		return fmt.Errorf("scheme: %s: Opener holds a nil %T: leave Opener nil if the scheme has no access", s.Name, s.Access.Opener)
	}
	s.Syntax.Form = cmp.Or(s.Syntax.Form, generic.Syntax.Form)
	if s.Syntax.Reserved == (escape.Set{}) {
		s.Syntax.Reserved = escape.Reserved()
	}
	s.Display.Icon = cmp.Or(s.Display.Icon, generic.Display.Icon)
	if s.Display.Split == nil {
		s.Display.Split = generic.Display.Split
	}
	if s.Display.Title == nil {
		s.Display.Title = generic.Display.Title
	}
	if s.Display.Parents == nil {
		s.Display.Parents = generic.Display.Parents
	}
	if s.Display.MenuLabel == nil {
		s.Display.MenuLabel = generic.Display.MenuLabel
	}
	if s.Crawl.Freshness == nil {
		s.Crawl.Freshness = generic.Crawl.Freshness
	}
	fields := s.Syntax.Fields
	if fields == nil {
		s.Syntax.Fields = generic.Syntax.Fields
	}
	if s.Syntax.Canonical == nil {
		s.Syntax.Canonical = genericCanonical
		if fields != nil {
			s.Syntax.Canonical = canonicalBy(fields)
		}
	}
	if s.Syntax.Check == nil {
		s.Syntax.Check = genericCheck
		if fields != nil {
			s.Syntax.Check = s.checkBy(fields)
		}
	}
	if open, ok := s.Access.Opener.(OpenerFunc); ok {
		s.Access.Opener = open.forURLsOf(s.Name, s.Syntax.Fields)
	}
	return nil
}

// forURLsOf returns an opener that calls f only for valid URLs of the named scheme. The
// function fields must accept the URL.
func (f OpenerFunc) forURLsOf(name string, fields func(locus.URL) ([]Field, error)) OpenerFunc {
	return func(ctx context.Context, req *Request) (Resource, error) {
		if req.URL.Scheme() != name {
			return nil, req.URL.Errorf(0, "scheme", "%w: the scheme is not %s", locus.ErrForm, name)
		}
		if _, err := fields(req.URL); err != nil {
			return nil, err
		}
		return f(ctx, req)
	}
}

// isNil reports whether o is a nil pointer or function in an interface.
func isNil(o Opener) bool {
	switch v := reflect.ValueOf(o); v.Kind() {
	case reflect.Pointer, reflect.Func:
		return v.IsNil()
	}
	return false
}

// canonicalBy returns the generic Canonical function, restricted to URLs that the function
// fields accepts.
func canonicalBy(fields func(locus.URL) ([]Field, error)) func(locus.URL) (locus.URL, locus.Change, error) {
	return func(u locus.URL) (locus.URL, locus.Change, error) {
		if _, err := fields(u); err != nil {
			return locus.URL{}, 0, err
		}
		return genericCanonical(u)
	}
}

// checkBy returns the generic Check function, extended by the error that the function fields
// returns.
func (s *Scheme) checkBy(fields func(locus.URL) ([]Field, error)) func(locus.URL, locus.Profile) []locus.Violation {
	section := cmp.Or(s.Section, s.Syntax.Form)
	return func(u locus.URL, p locus.Profile) []locus.Violation {
		list := genericCheck(u, p)
		_, err := fields(u)
		if err == nil {
			return list
		}
		v := locus.Violation{Rule: "form", Section: section, Help: err.Error()}
		if e := (*locus.SyntaxError)(nil); errors.As(err, &e) {
			v.Offset, v.Help = e.Offset, e.Err.Error()
			if errors.Is(e.Err, locus.ErrValue) {
				v.Rule, v.Kind = "value", locus.Impossible
			}
		}
		list = append(list, v)
		slices.SortStableFunc(list, func(a, b locus.Violation) int { return a.Offset - b.Offset })
		return list
	}
}
