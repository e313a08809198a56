package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/lines"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/profile/rfc3986"
)

// records converts input records to keys and their tallies (counts and samples).
type records struct {
	pipeline string
	finder   *lines.Finder
	rules    profile.Rules
	samples  int
}

func newRecords(o Options) (*records, error) {
	finder, err := o.finder()
	if err != nil {
		return nil, err
	}
	rules, err := o.rules()
	return &records{pipeline: o.Pipeline, finder: finder, rules: rules, samples: o.Samples}, err
}

// add counts a record. For the pipeline Join, the parameter side is the index of the list that
// contains the record. An error gives the reason why the record is unreadable.
func (r *records) add(counts *aggregate, side int, record []byte) error {
	input := octet.View(record)
	switch r.pipeline {
	case Check:
		return r.check(counts, input)
	case Graph:
		return r.pair(counts, input)
	}
	u, err := r.canonical(input)
	if err != nil {
		return err
	}
	t := Tally{N: 1}
	if side == 1 {
		t = Tally{M: 1}
	}
	counts.add(u.String(), t)
	return nil
}

// canonical returns the same canonical form of the input as "locus canonical".
func (r *records) canonical(input string) (locus.URL, error) {
	u, err := locus.Parse(input)
	if err != nil {
		u, err = shape.Read(input) // the input may be in the wrapper that the appendix of RFC 1738 defines
	}
	if err != nil {
		return u, err
	}
	u, _, err = r.rules.Registry.Canonical(u)
	return u, err
}

// The prefixes of the keys that the pipeline Check counts.
const (
	byRule   = "rule"
	byScheme = "scheme"
	byHost   = "host"
)

// check counts the findings about an input by rule, and counts the input by its scheme and host.
// In each tally, the field M counts URLs. In the tally of a rule, the field N counts findings. In
// the tally of a scheme or host, N counts the URLs that do not conform to the rules.
func (r *records) check(counts *aggregate, input string) error {
	list, err := shape.CheckInput(r.rules, input, nil)
	sample := func() []string {
		if r.samples <= 0 {
			return nil
		}
		return []string{strings.Clone(locus.Mask(input))}
	}
	seen := map[string]bool{}
	for _, v := range list {
		key := byRule + "\t" + v.Kind.String() + " " + v.Rule
		t := Tally{N: 1}
		if !seen[key] {
			seen[key] = true
			t.M, t.Samples = 1, sample()
		}
		counts.add(key, t)
	}
	t := Tally{M: 1}
	if err != nil || !locus.Conforms(list) {
		t.N, t.Samples = 1, sample()
	}
	u := rfc3986.Parse(locus.RemoveWrapper(input).String())
	scheme, _ := u.Scheme()
	host, _ := u.Host()
	counts.add(byScheme+"\t"+cmp.Or(octet.ToLower(scheme), noGroup), t)
	counts.add(byHost+"\t"+cmp.Or(octet.ToLower(host), noGroup), t)
	return err
}

// noGroup is the text that replaces a missing scheme or host, as in the output of the command
// locus.
const noGroup = "-"

// pair counts a link. The input consists of two URLs that are separated by a TAB.
func (r *records) pair(counts *aggregate, input string) error {
	from, to, found := strings.Cut(input, "\t")
	if !found || strings.Contains(to, "\t") {
		return errors.New("the line is not two URLs separated by a TAB")
	}
	source, err := r.canonical(strings.Trim(from, blanks))
	if err != nil {
		return fmt.Errorf("the first URL: %w", err)
	}
	target, err := r.canonical(strings.Trim(to, blanks))
	if err != nil {
		return fmt.Errorf("the second URL: %w", err)
	}
	r.link(counts, source, target)
	return nil
}

// link counts a link between hosts. It ignores a link if one of the two URLs has no host, such as
// a mailto URL.
func (r *records) link(counts *aggregate, from, to locus.URL) {
	if from.Host() != "" && to.Host() != "" {
		counts.add(octet.ToLower(from.Host())+"\t"+octet.ToLower(to.Host()), Tally{N: 1})
	}
}
