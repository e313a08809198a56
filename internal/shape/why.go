package shape

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Part is a named part of the text of a URL.
type Part struct {
	Name   string
	Offset int
	Text   string
}

// Parts returns the parts of u that are present, in order.
func Parts(u locus.URL) []Part {
	scheme, _, _ := strings.Cut(u.String(), ":")
	list := []Part{{"scheme", 0, scheme}}
	add := func(name string, offset int, text string, ok bool) {
		if ok {
			list = append(list, Part{name, offset, text})
		}
	}
	if !u.Facts().Has(locus.Internet) {
		add("schemePart", u.PathOffset(), u.SchemePart(), true)
	} else {
		user, hasUser := u.User()
		password, hasPassword := u.Password()
		port, hasPort := u.PortText()
		path, hasPath := u.Path()
		start := len(scheme) + len("://")
		add("user", start, user, hasUser)
		add("password", start+len(user)+1, password, hasPassword)
		add("host", u.HostOffset(), u.Host(), true)
		add("port", u.HostOffset()+len(u.Host())+1, port, hasPort)
		add("path", u.PathOffset(), path, hasPath)
	}
	fragment, hasFragment := u.Fragment()
	add("fragment", u.Len()-len(fragment), fragment, hasFragment)
	return list
}

// Side is one of two URLs that are compared.
type Side struct {
	Input     string
	Canonical locus.URL
	Err       error

	url locus.URL
}

// NewSide reads input. err is why input is incomplete, or nil.
func NewSide(r *scheme.Registry, input string, err error) Side {
	s := Side{Input: input, Err: err}
	if s.Err == nil {
		s.url, s.Err = Read(input)
	}
	if s.Err == nil {
		s.Canonical, _, s.Err = r.Canonical(s.url)
	}
	return s
}

// NewCompare compares two sides and gives the reasons.
func NewCompare(r *scheme.Registry, x, y Side) Compare {
	var why []string
	same := false
	for _, s := range []Side{x, y} {
		if s.Err != nil {
			why = append(why, s.Err.Error())
		}
	}
	if why == nil {
		same, why = r.Same(x.url, y.url)
	}
	return Compare{
		A: Text(x.Input), B: Text(y.Input), Same: same, Why: Texts(why),
		CanonicalA: Present(x.Canonical.String(), x.Err == nil),
		CanonicalB: Present(y.Canonical.String(), y.Err == nil),
	}
}
