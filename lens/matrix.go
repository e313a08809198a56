package lens

import (
	"fmt"
	"strings"
)

// Matrix counts the URLs that each pair of parsers of a Lens reads differently.
type Matrix struct {
	URLs    int            `json:"urls"`
	Parsers []MatrixParser `json:"readers"`
	// Pairs contains a row for each parser. The row contains a Pair for each parser.
	Pairs [][]Pair `json:"pairs"`
	// Danger is the number of URLs for which two parsers would contact different servers.
	Danger int `json:"danger"`
	// Alike is the number of URLs that all parsers reject, or that all parsers read in the
	// same way.
	Alike int `json:"alike"`
}

// MatrixParser is a parser in a Matrix.
type MatrixParser struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Kind     Kind   `json:"kind"`
	Accepted int    `json:"accepted"` // number of accepted URLs
	Failed   int    `json:"failed"`   // number of URLs without a result
}

// Pair counts the URLs on which two parsers differ.
type Pair struct {
	Host    int `json:"host"`    // both parsers accept the URL and read different hosts
	Any     int `json:"any"`     // both parsers accept the URL and differ in any part
	Verdict int `json:"verdict"` // one parser accepts the URL, and the other rejects it
}

// Matrix counts the differences in reports of l.
func (l *Lens) Matrix(reports []Report) Matrix {
	m := Matrix{URLs: len(reports), Parsers: make([]MatrixParser, len(l.readers)), Pairs: make([][]Pair, len(l.readers))}
	for i, r := range l.readers {
		m.Parsers[i] = MatrixParser{Name: r.Name(), Kind: r.Kind()}
		m.Pairs[i] = make([]Pair, len(l.readers))
	}
	for _, r := range reports {
		l.count(&m, r)
	}
	return m
}

func (l *Lens) count(m *Matrix, r Report) {
	meanings := make([]meaning, len(r.Results))
	for i, a := range r.Results {
		m.Parsers[i].Version = a.Version
		meanings[i] = l.meaning(a.ParseResult)
		switch {
		case a.Failure != "":
			m.Parsers[i].Failed++
		case a.OK:
			m.Parsers[i].Accepted++
		}
	}
	mixed := false
	for i, a := range r.Results {
		for j, b := range r.Results {
			if i == j || a.Failure != "" || b.Failure != "" {
				continue
			}
			mixed = mixed || a.OK != b.OK
			m.Pairs[i][j].add(a.OK, b.OK, meanings[i], meanings[j])
		}
	}
	if r.Danger {
		m.Danger++
	}
	if len(r.Differences) == 0 && !mixed {
		m.Alike++
	}
}

func (p *Pair) add(aOK, bOK bool, a, b meaning) {
	switch {
	case aOK != bOK:
		p.Verdict++
	case aOK && bOK:
		if a.bothExpose(b, "host") && a.parts["host"] != b.parts["host"] {
			p.Host++
		}
		if len(a.differences(b)) > 0 {
			p.Any++
		}
	}
}

// Behavior describes how the parsers of r read the URL of e. Behavior lists the parsers that
// accept the URL and, for each part of the URL, the groups of parsers that agree. Two entries
// of a class with the same behavior show the same confusion.
func (l *Lens) Behavior(e Entry, r Report) string {
	var b strings.Builder
	b.WriteString(e.Class)
	meanings := make([]meaning, len(r.Results))
	for i := range r.Results {
		sign := " -"
		if r.Results[i].OK {
			sign, meanings[i] = " +", l.meaning(r.Results[i].ParseResult)
		}
		b.WriteString(sign)
	}
	for _, part := range PartNames() {
		groups := map[string]int{}
		b.WriteString(" " + part + ":")
		for i, m := range meanings {
			if !r.Results[i].OK {
				continue
			}
			n, ok := groups[m.parts[part]]
			if !ok {
				n = len(groups)
				groups[m.parts[part]] = n
			}
			fmt.Fprintf(&b, "%d,", n)
		}
	}
	return b.String()
}
