package prosperotest

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Query is an Archie query. ARCHIE/MATCH searches for files in archives, and ARCHIE/HOST lists the
// directory Path on the host Site.
type Query struct {
	Hits int // maximum number of results
	// Type selects the kind of search: '=' for exact names, 's' for substrings, 'c' for
	// case-sensitive substrings, or 'r' for regular expressions. If the letter is in lower
	// case, the server first searches for the exact name.
	Type  byte
	Words string

	Site, Path string
}

// Find is a file or directory that an Archie server has found in an archive.
type Find struct {
	Site      string // a host token: "ftp.example.org"
	Path      string // from the root of anonymous FTP, with "/"
	Directory bool
	Size      int
	ModTime   time.Time
	Modes     string    // empty means the default modes of Object
	Visited   time.Time // time of the database's last visit to the archive
}

func (f *Find) split() (dir, name string) {
	at := strings.LastIndexByte(f.Path, '/')
	return f.Path[:max(at, 0)], f.Path[at+1:]
}

const (
	archieMatch = "ARCHIE/MATCH("
	archieHost  = "ARCHIE/HOST/"
	archieWait  = 180 * time.Second // announced wait for each query
	archieMost  = 10000
)

func (s *Server) isArchie(hsoname string) bool {
	return s.o.Archie != nil && strings.HasPrefix(hsoname, "ARCHIE/")
}

// archie returns the links that answer a query. If ok is false, the reply contains the error.
func (x *exchange) archie(hsoname string) (list []Link, ok bool) {
	x.wait = max(x.wait, archieWait)
	q, failure := parseQuery(hsoname)
	if failure != "" {
		return nil, x.fail(failure)
	}
	for _, f := range x.s.o.Archie(q) {
		list = append(list, f.link())
	}
	return list, true
}

// parseQuery parses the hsoname of a query. If parsing fails, the result failure is the text to
// send after FAILURE. Otherwise failure is empty.
func parseQuery(hsoname string) (q Query, failure string) {
	if rest, ok := strings.CutPrefix(hsoname, archieHost); ok {
		q.Site, q.Path, _ = strings.Cut(rest, "/")
		q.Path = "/" + q.Path
		return q, ""
	}
	rest, ok := strings.CutPrefix(hsoname, archieMatch)
	parameters, words, closed := strings.Cut(rest, ")/")
	if !ok || !closed {
		return q, "NOT-FOUND"
	}
	q.Words = words
	values := strings.Split(parameters, ",")
	if len(values) != 5 || len(values[4]) != 1 {
		return q, "NOT-FOUND"
	}
	q.Hits, _ = strconv.Atoi(values[0])
	q.Type = values[4][0]
	if q.Hits < 1 || q.Hits > archieMost {
		return q, "NOT-AUTHORIZED " + string(appendTokens(nil, "Legal values for max hits are between 1 and 10000 "))
	}
	return q, ""
}

func (f *Find) link() Link {
	_, name := f.split()
	l := Link{Name: name, Target: "EXTERNAL", Host: f.Site, HSOName: f.Path, Methods: []Method{{"AFTP", "", "", "", "", "BINARY"}}}
	if f.Directory {
		l = Link{Name: name, Target: "DIRECTORY", HSOName: archieHost + f.Site + f.Path}
	}
	o := Object{Modes: f.Modes}
	if f.Directory {
		o.Links = []Link{}
	}
	l.Attributes = []Attribute{
		{Nature: "INTRINSIC", Name: "SIZE", Value: []string{strconv.Itoa(f.Size) + " bytes"}},
		{Nature: "INTRINSIC", Name: "UNIX-MODES", Value: []string{o.modes()}},
		{Nature: "INTRINSIC", Name: "LAST-MODIFIED", Value: []string{timestamp(f.ModTime)}},
		{Name: "AR_H_LAST_MOD", Value: []string{timestamp(f.Visited)}},
	}
	return l
}

// Search returns a function for Options.Archie that searches the given table in order.
func Search(table []Find) func(q Query) []Find {
	return func(q Query) []Find {
		if q.Site != "" {
			return q.choose(table, func(f *Find) bool {
				dir, _ := f.split()
				return f.Site == q.Site && "/"+strings.Trim(dir, "/") == "/"+strings.Trim(q.Path, "/")
			})
		}
		exact := func(f *Find) bool {
			_, name := f.split()
			return name == q.Words
		}
		if strings.IndexByte("=scr", q.Type) >= 0 {
			if list := q.choose(table, exact); list != nil || q.Type == '=' {
				return list
			}
		}
		like := q.like()
		return q.choose(table, func(f *Find) bool {
			_, name := f.split()
			return like(name)
		})
	}
}

// like returns a function that reports whether a name matches the query by its Type. That function
// does not test for the exact name.
func (q *Query) like() func(name string) bool {
	switch q.Type {
	case 'c', 'C':
		return func(name string) bool { return strings.Contains(name, q.Words) }
	case 'r', 'R':
		r, err := regexp.Compile(q.Words)
		return func(name string) bool { return err == nil && r.MatchString(name) }
	default:
		words := strings.ToLower(q.Words)
		return func(name string) bool { return strings.Contains(strings.ToLower(name), words) }
	}
}

// choose returns the entries of the table for which match returns true. For a search, choose
// returns at most q.Hits entries.
func (q *Query) choose(table []Find, match func(f *Find) bool) (list []Find) {
	for i := range table {
		if match(&table[i]) && (q.Site != "" || len(list) < q.Hits) {
			list = append(list, table[i])
		}
	}
	return list
}
