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

// records converts records to keys and tallies.
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

// add counts a record. For Join, side is the number of the list that contains the record. The error
// is the reason why the record can't be read.
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

// canonical returns the canonical form of input, like "locus canonical".
func (r *records) canonical(input string) (locus.URL, error) {
	u, err := locus.Parse(input)
	if err != nil {
		u, err = shape.Read(input) // the input may have the wrapper of RFC 1738's appendix
	}
	if err != nil {
		return u, err
	}
	u, _, err = r.rules.Registry.Canonical(u)
	return u, err
}

// The groups of Check, with which keys begin.
const (
	byRule   = "rule"
	byScheme = "scheme"
	byHost   = "host"
)

// check counts the findings about input by rule, and the URLs by scheme and host. In a tally, M
// counts URLs. For a rule, N counts findings. For a scheme or host, N counts URLs that do not
// conform.
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

// noGroup replaces a missing scheme or host, as in the command locus.
const noGroup = "-"

// pair counts a link: two URLs separated by a TAB.
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

// link counts a link between hosts. It ignores links from or to a URL without a host, such as
// mailto.
func (r *records) link(counts *aggregate, from, to locus.URL) {
	if from.Host() != "" && to.Host() != "" {
		counts.add(octet.ToLower(from.Host())+"\t"+octet.ToLower(to.Host()), Tally{N: 1})
	}
}
