package main

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/bench"
	"github.com/locus-url/locus/lens"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// bases lists the names of the parsers with which each program is compared.
var bases = []string{"locus", "whatwg", "net/url"}

// result is the output of the command "parsers matrix".
type result struct {
	URLs      int
	Programs  []programResult
	Dangerous []disagreement
}

// programResult holds the result for one program. For each parser in bases, it contains the number
// of corpus URLs about which the program and the parser differ.
type programResult struct {
	Name, Version, Failure string
	Accepted               int
	Against                map[string]*differences
}

// differences holds the numbers of URLs about which two parsers differ. Accept counts the URLs
// that only one parser accepts. The other fields count URLs that both parsers accept. Target
// counts the URLs for which the parsers would contact different servers.
type differences struct{ Accept, Scheme, Host, Port, Path, Target int }

// disagreement is a URL for which programs would contact different servers.
type disagreement struct {
	Input, Class, Source string
	Pairs                int // number of parser pairs that would contact different servers whose names or addresses can exist
	Readings             []reading
}

// reading is a server and the names of the parsers that would contact this server.
type reading struct {
	Target string
	Names  []string
}

// program is a parser of package lens, and the name of the program that the parser runs.
type program struct {
	lens.Parser
	name string
}

func (p program) Name() string { return p.name }

// newProgram returns the program at path. If the name is not a parser of package lens, the program
// receives the arguments of the parser "urllib", which the program must ignore.
func newProgram(r *scheme.Registry, name, path string) lens.Parser {
	row := "urllib"
	if slices.Contains(lens.ProgramNames(), name) {
		row = name
	}
	o := lens.Options{Registry: r, With: map[string]string{row: path}, Only: true, Timeout: 5 * time.Minute}
	return program{lens.Programs(context.Background(), o)[0], name}
}

func matrix(programs []string) (out result) {
	r := bench.Must(all.Registry())
	readers := slices.Concat(lens.Standards(r), lens.InProcess(r))
	readers = slices.DeleteFunc(readers, func(p lens.Parser) bool { return !slices.Contains(bases, p.Name()) })
	own := len(readers)
	for _, p := range programs {
		name, path, _ := strings.Cut(p, "=")
		readers = append(readers, newProgram(r, name, path))
	}
	l := lens.New(r, readers...)
	corpus := lens.Corpus()
	urls := make([]string, len(corpus))
	for i, e := range corpus {
		urls[i] = e.URL
	}
	reports := bench.Must(l.Compare(context.Background(), urls))
	out.URLs = len(urls)
	for i := own; i < len(readers); i++ {
		out.Programs = append(out.Programs, count(l, reports, i))
	}
	out.Dangerous = dangerous(l, corpus, reports)
	return out
}

// count compares parser i with each of the parsers in bases.
func count(l *lens.Lens, reports []lens.Report, i int) programResult {
	p := programResult{Against: map[string]*differences{}}
	for _, report := range reports {
		own := report.Results[i]
		p.Name, p.Version, p.Failure = own.Name, own.Version, own.Failure
		if own.OK {
			p.Accepted++
		}
		for _, base := range report.Results[:len(bases)] {
			d := p.Against[base.Name]
			if d == nil {
				d = &differences{}
				p.Against[base.Name] = d
			}
			d.add(l, own.ParseResult, base.ParseResult)
		}
	}
	return p
}

func (d *differences) add(l *lens.Lens, a, b lens.ParseResult) {
	if a.OK != b.OK {
		d.Accept++
	}
	if !a.OK || !b.OK {
		return
	}
	for _, part := range l.Differences(a, b) {
		switch part {
		case "scheme":
			d.Scheme++
		case "host":
			d.Host++
		case "port":
			d.Port++
		case "path":
			d.Path++
		}
	}
	if !l.SameTarget(a, b) {
		d.Target++
	}
}

// dangerous returns up to ten URLs for which the largest number of parser pairs would contact
// different servers. At most two of these URLs have the same class. The function considers only
// hosts that are plain names or addresses, because a client can't resolve other hosts.
func dangerous(l *lens.Lens, corpus []lens.Entry, reports []lens.Report) (list []disagreement) {
	for i, report := range reports {
		d := disagreement{Class: corpus[i].Class, Source: corpus[i].Source}
		for n, a := range report.Results {
			for _, b := range report.Results[n+1:] {
				if a.OK && b.OK && plain(a.ParseResult) && plain(b.ParseResult) && !l.SameTarget(a.ParseResult, b.ParseResult) {
					d.Pairs++
				}
			}
		}
		masked := report.Masked()
		d.Input, d.Readings = masked.Input, readings(l, masked)
		list = append(list, d)
	}
	slices.SortStableFunc(list, func(a, b disagreement) int { return cmp.Compare(b.Pairs, a.Pairs) })
	classes := map[string]int{}
	list = slices.DeleteFunc(list, func(d disagreement) bool {
		classes[d.Class]++
		return d.Pairs == 0 || classes[d.Class] > 2
	})
	return list[:min(10, len(list))]
}

var plainHost = regexp.MustCompile(`^([A-Za-z0-9.-]+|\[?[0-9A-Fa-f:.]+\]?)$`)

func plain(r lens.ParseResult) bool { return r.Host != nil && plainHost.MatchString(*r.Host) }

// readings groups the parsers in a report by the scheme, host and port that they find.
func readings(l *lens.Lens, r lens.Report) (list []reading) {
	var firsts []lens.ParseResult
	for _, a := range r.Results {
		if a.Failure != "" {
			continue
		}
		i := slices.IndexFunc(firsts, func(b lens.ParseResult) bool { return alike(l, a.ParseResult, b) })
		if i < 0 {
			firsts, list = append(firsts, a.ParseResult), append(list, reading{Target: target(a.ParseResult)})
			i = len(list) - 1
		}
		list[i].Names = append(list[i].Names, a.Name)
	}
	return list
}

// alike reports whether the results a and b agree. They agree if both reject the URL, or if both
// contain the same scheme, host and port.
func alike(l *lens.Lens, a, b lens.ParseResult) bool {
	if !a.OK || !b.OK {
		return a.OK == b.OK
	}
	return !slices.ContainsFunc(l.Differences(a, b), func(part string) bool { return slices.Contains([]string{"scheme", "host", "port"}, part) })
}

// target returns the server that a parser would contact, as text.
func target(r lens.ParseResult) string {
	if !r.OK {
		return "rejected"
	}
	text := func(part string) string {
		if p := r.Part(part); p != nil {
			return *p
		}
		return ""
	}
	out := strings.ToLower(cmp.Or(text("host"), "no host"))
	if port := text("port"); port != "" {
		out += ", port " + port
	}
	if s := text("scheme"); s != "http" {
		out += ", scheme " + s
	}
	return out
}
