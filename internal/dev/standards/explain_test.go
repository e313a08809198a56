package standards

import (
	"fmt"

	"github.com/locus-url/locus"
)

// kind is a kind of difference between RFC 3986 and another standard.
type kind int

const (
	browserFails    kind = iota // the URL Standard rejects a text that conforms to RFC 3986
	browserAccepts              // the URL Standard accepts a text with a fault
	browserResolves             // the URL Standard resolves a reference that has no base
	browserMeans                // a component of the href differs from the normalized target
	originalRefuses             // RFC 1738 rejects a text that conforms to RFC 3986
	originalAccepts             // RFC 1738 accepts a text with a fault
	originalMeans               // a component of the canonical form differs
)

// difference is a difference between two standards, which a rule must explain.
type difference struct {
	*outcome
	kind  kind
	fault locus.Violation // fault that only one of the two standards reports
	part  string          // for browserMeans and originalMeans, the name of the component
	// theirs and ours are the component by the other standard and by RFC 3986.
	theirs, ours string
}

func (d difference) String() string {
	base := ""
	if d.Base != nil {
		base = fmt.Sprintf(" on %.40q", *d.Base)
	}
	what := [...]string{"the URL Standard fails: " + d.failure, "the URL Standard accepts", "the URL Standard resolves", "the URL Standard means another", "RFC 1738 refuses", "RFC 1738 accepts", "RFC 1738 means another"}[d.kind]
	if d.part != "" {
		what += fmt.Sprintf(" %s: %q, RFC 3986: %q", d.part, d.theirs, d.ours)
	}
	if d.fault.Rule != "" {
		what += fmt.Sprintf(": %v", d.fault)
	}
	if d.refused != nil && d.kind == originalRefuses {
		what += fmt.Sprintf(": %s %v", d.refused.Part, d.refused.Err)
	}
	return fmt.Sprintf("%.60q%s: %s; %s", d.Input, base, what, d.href)
}

// differences returns all differences that need an explanation.
func (o *outcome) differences() (list []difference) {
	add := func(d difference) {
		d.outcome = o
		list = append(list, d)
	}
	switch {
	case !o.browser() && o.generic():
		add(difference{kind: browserFails})
	case o.browser() && o.unresolved:
		add(difference{kind: browserResolves})
	case o.browser() && !o.generic():
		for _, v := range o.faults {
			add(difference{kind: browserAccepts, fault: v})
		}
	case o.browser():
		theirs, ours := components(o.href), components(o.target.String())
		for i, name := range componentNames {
			if theirs[i] != ours[i] {
				add(difference{kind: browserMeans, part: name, theirs: theirs[i], ours: ours[i]})
			}
		}
	}
	switch {
	case o.generic() && o.original() && !o.isRelative():
		theirs, ours := components(o.canonical), components(o.target.String())
		for i, name := range componentNames {
			if theirs[i] != ours[i] {
				add(difference{kind: originalMeans, part: name, theirs: theirs[i], ours: ours[i]})
			}
		}
	case o.generic() && len(o.breaches) == 0:
		add(difference{kind: originalRefuses})
	case o.generic():
		for _, v := range o.breaches {
			add(difference{kind: originalRefuses, fault: v})
		}
	case o.original():
		for _, v := range o.faults {
			add(difference{kind: originalAccepts, fault: v})
		}
	}
	return list
}
