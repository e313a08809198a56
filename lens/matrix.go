package lens

import (
	"fmt"
	"strings"
)

// Matrix counts the URLs that each two readers of a Lens take differently.
type Matrix struct {
	URLs    int            `json:"urls"`
	Readers []MatrixReader `json:"readers"`
	// Pairs has a row for each reader, and a Pair for each reader in it.
	Pairs [][]Pair `json:"pairs"`
	// Danger is the number of URLs that two readers would contact different servers for.
	Danger int `json:"danger"`
	// Alike is the number of URLs that all readers refuse or take for the same.
	Alike int `json:"alike"`
}

// MatrixReader is a reader in a Matrix.
type MatrixReader struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Kind     Kind   `json:"kind"`
	Accepted int    `json:"accepted"` // URLs
	Failed   int    `json:"failed"`   // URLs that it gave no answer about
}

// Pair says on how many URLs two readers differ.
type Pair struct {
	Host    int `json:"host"`    // both accept and take different hosts
	Any     int `json:"any"`     // both accept and differ in any part
	Verdict int `json:"verdict"` // one accepts, the other refuses
}

// Matrix counts the differences in reports of l.
func (l *Lens) Matrix(reports []Report) Matrix {
	m := Matrix{URLs: len(reports), Readers: make([]MatrixReader, len(l.readers)), Pairs: make([][]Pair, len(l.readers))}
	for i, r := range l.readers {
		m.Readers[i] = MatrixReader{Name: r.Name(), Kind: r.Kind()}
		m.Pairs[i] = make([]Pair, len(l.readers))
	}
	for _, r := range reports {
		l.count(&m, r)
	}
	return m
}

func (l *Lens) count(m *Matrix, r Report) {
	meanings := make([]meaning, len(r.Readers))
	for i, a := range r.Readers {
		m.Readers[i].Version = a.Version
		meanings[i] = l.meaning(a.Reading)
		switch {
		case a.Failure != "":
			m.Readers[i].Failed++
		case a.OK:
			m.Readers[i].Accepted++
		}
	}
	mixed := false
	for i, a := range r.Readers {
		for j, b := range r.Readers {
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
		if a.sees(b, "host") && a.parts["host"] != b.parts["host"] {
			p.Host++
		}
		if len(a.differences(b)) > 0 {
			p.Any++
		}
	}
}

// Behaviour describes how the readers of r treat the URL of e: which accept it, and for
// each part which of those take it for the same. Two entries of a class with the same
// behaviour show the same confusion.
func (l *Lens) Behaviour(e Entry, r Report) string {
	var b strings.Builder
	b.WriteString(e.Class)
	meanings := make([]meaning, len(r.Readers))
	for i := range r.Readers {
		sign := " -"
		if r.Readers[i].OK {
			sign, meanings[i] = " +", l.meaning(r.Readers[i].Reading)
		}
		b.WriteString(sign)
	}
	for _, part := range PartNames() {
		groups := map[string]int{}
		b.WriteString(" " + part + ":")
		for i, m := range meanings {
			if !r.Readers[i].OK {
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
