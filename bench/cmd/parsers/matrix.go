package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/bench"
	"github.com/locus-url/locus/lens"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// bases are the readers that each program is compared with.
var bases = []string{"locus", "whatwg", "net/url"}

// result is the output of matrix.
type result struct {
	URLs      int
	Programs  []programResult
	Dangerous []disagreement
}

// programResult holds the numbers of corpus URLs about which one program differs from each
// of bases.
type programResult struct {
	Name, Version, Failure string
	Accepted               int
	Against                map[string]*differences
}

// differences are numbers of URLs. Accept counts URLs that only one of the two accepts. The
// other numbers count URLs that both accept. Target counts those for which the two would
// contact different servers.
type differences struct{ Accept, Scheme, Host, Port, Path, Target int }

// disagreement is a URL for which programs would contact different servers.
type disagreement struct {
	Input, Class, Source string
	Pairs                int // of readers that would contact different servers
	Readings             []reading
}

// reading is a server, and the readers that would contact it.
type reading struct {
	Target string
	Names  []string
}

// program is a program under its own name.
type program struct {
	lens.Parser
	name string
}

func (p program) Name() string { return p.name }

// newProgram returns the program at path. If name is not a reader of package lens, the
// program gets the arguments of the reader "urllib", which it must ignore.
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

// count compares reader i with each of bases.
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

// dangerous returns ten URLs with the most pairs of readers that would contact different
// servers, at most two of each class. It prefers URLs that Locus accepts.
func dangerous(l *lens.Lens, corpus []lens.Entry, reports []lens.Report) (list []disagreement) {
	for i, report := range reports {
		d := disagreement{Class: corpus[i].Class, Source: corpus[i].Source}
		for n, a := range report.Results {
			for _, b := range report.Results[n+1:] {
				if a.OK && b.OK && report.Danger && !l.SameTarget(a.ParseResult, b.ParseResult) {
					d.Pairs++
				}
			}
		}
		masked := report.Masked()
		d.Input, d.Readings = masked.Input, readings(masked)
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

// readings groups the readers of a report by scheme, host and port.
func readings(r lens.Report) (list []reading) {
	text := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	for _, a := range r.Results {
		target := "rejected"
		switch {
		case a.Failure != "":
			continue
		case a.OK && text(a.Host) == "":
			target = "no host"
		case a.OK:
			target = strings.ToLower(text(a.Host))
			if port := text(a.Port); port != "" && (port != "80" || text(a.Scheme) != "http") && (port != "443" || text(a.Scheme) != "https") {
				target += ", port " + port
			}
			if s := text(a.Scheme); s != "http" {
				target += ", scheme " + s
			}
		}
		i := slices.IndexFunc(list, func(one reading) bool { return one.Target == target })
		if i < 0 {
			list = append(list, reading{Target: target})
			i = len(list) - 1
		}
		list[i].Names = append(list[i].Names, a.Name)
	}
	return list
}
