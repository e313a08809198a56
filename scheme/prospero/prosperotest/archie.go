package prosperotest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Query is a question for files in archives: ARCHIE/MATCH, or the directory Path of
// Site: ARCHIE/HOST.
type Query struct {
	Hits, Matches, HitsPerMatch int // the most to be found, in all, of names, of each name
	Offset                      int // so many are left out before the first
	// Type is how to search: '=' 'n' the name itself, 's' any part of it, 'c' the
	// same and capitals matter, 'r' a regular expression; 'k' 'z' 'x' are these, for
	// the names instead of the files. Small letters try the name itself first.
	Type  byte
	Words string

	Site, Path string

	Domains    []string // AR_DOMAIN: one of them ends the site's name
	Components []string // AR_PATHCOMP: one of them is in the path
}

// Find is a file or a directory in an archive.
type Find struct {
	Site      string // a host token: "ftp.example.org"
	Path      string // from the root of anonymous users, with "/"
	Directory bool
	Size      int
	ModTime   time.Time
	Modes     string    // empty: those of Object
	Visited   time.Time // when the database last looked
}

func (f *Find) split() (dir, name string) {
	at := strings.LastIndexByte(f.Path, '/')
	return f.Path[:max(at, 0)], f.Path[at+1:]
}

const (
	archieMatch = "ARCHIE/MATCH("
	archieHost  = "ARCHIE/HOST/"
	archieWait  = 180 * time.Second // of any database
	archieMost  = 10000
)

func (s *Server) isArchie(hsoname string) bool {
	return s.o.Archie != nil && strings.HasPrefix(hsoname, "ARCHIE/")
}

// archie answers a query by links. Without them the reply says why.
func (x *exchange) archie(hsoname string, filters []filter) (list []Link, ok bool) {
	x.wait = max(x.wait, archieWait)
	q, why := parseQuery(hsoname)
	if why != "" {
		return nil, x.fail(why)
	}
	for _, f := range filters {
		switch f.name {
		case "AR_DOMAIN":
			q.Domains = atColons(f.arguments)
		case "AR_PATHCOMP":
			q.Components = atColons(f.arguments)
		default:
			return nil, x.noFilter(f)
		}
	}
	finds := x.s.o.Archie(q)
	if q.Site == "" && strings.IndexByte("kKzZxX", q.Type) >= 0 {
		return q.names(finds), true
	}
	for i := range finds {
		list = append(list, finds[i].link(q.Type != 'n'))
	}
	return list, true
}

// atColons cuts arguments at their colons.
func atColons(arguments []string) (list []string) {
	for _, a := range arguments {
		list = append(list, strings.Split(a, ":")...)
	}
	return list
}

// parseQuery reads the name of a query; why is the failure that it comes to.
func parseQuery(hsoname string) (q Query, why string) {
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
	number := func(i int) int {
		n, _ := strconv.Atoi(values[i])
		return n
	}
	switch len(values) {
	case 5:
		q.Hits, q.Matches, q.HitsPerMatch, q.Offset = number(0), number(1), number(2), number(3)
	case 3: // the older form
		q.Hits, q.Offset = number(0), number(1)
		q.Matches, q.HitsPerMatch = q.Hits, q.Hits
	default:
		return q, "NOT-FOUND"
	}
	q.Type = 's'
	if last := values[len(values)-1]; len(last) == 1 && strings.Contains("=sScCrRkKzZxXn", last) {
		q.Type = last[0]
	}
	if q.Hits < 1 || q.Hits > archieMost {
		return q, "NOT-AUTHORIZED " + string(appendTokens(nil, "Legal values for max hits are between 1 and 10000 "))
	}
	return q, ""
}

// names returns the names of finds as links to queries for them.
func (q *Query) names(finds []Find) (list []Link) {
	var seen []string
	for i := range finds {
		_, name := finds[i].split()
		if slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		list = append(list, Link{Name: name, Target: "DIRECTORY",
			HSOName: fmt.Sprintf("%s%d,%d,%d,0,=)/%s", archieMatch, q.Hits, q.Matches, q.HitsPerMatch, name)})
	}
	return list
}

// link returns f as a query shows it.
func (f *Find) link(attributes bool) Link {
	_, name := f.split()
	l := Link{Name: name, Target: "EXTERNAL", Host: f.Site, HSOName: f.Path, Methods: []Method{{"AFTP", "", "", "", "", "BINARY"}}}
	if f.Directory {
		l = Link{Name: name, Target: "DIRECTORY", HSOName: archieHost + f.Site + f.Path}
	}
	if !attributes {
		return l
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

// Search answers queries from a table, in its order.
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
		if strings.IndexByte("=nscrkzx", q.Type) >= 0 {
			if list := q.choose(table, exact); list != nil || q.Type == '=' || q.Type == 'n' {
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

// like returns what the words say of a name that is not theirs.
func (q *Query) like() func(name string) bool {
	switch q.Type {
	case 'c', 'C', 'z', 'Z':
		return func(name string) bool { return strings.Contains(name, q.Words) }
	case 'r', 'R', 'x', 'X':
		r, err := regexp.Compile(q.Words)
		return func(name string) bool { return err == nil && r.MatchString(name) }
	default:
		words := strings.ToLower(q.Words)
		return func(name string) bool { return strings.Contains(strings.ToLower(name), words) }
	}
}

// choose returns the finds that are right, within the limits of q.
func (q *Query) choose(table []Find, right func(f *Find) bool) (list []Find) {
	names := map[string]int{}
	skipped := 0
	for i := range table {
		f := &table[i]
		if !right(f) || !q.inDomain(f) || !q.onPath(f) {
			continue
		}
		_, name := f.split()
		if q.Site == "" && (len(list) == q.Hits || names[name] == q.HitsPerMatch || names[name] == 0 && len(names) == q.Matches) {
			continue
		}
		if skipped < q.Offset {
			skipped++
			continue
		}
		names[name]++
		list = append(list, *f)
	}
	return list
}

func (q *Query) inDomain(f *Find) bool {
	return q.Domains == nil || slices.ContainsFunc(q.Domains, func(d string) bool {
		return strings.HasSuffix(f.Site, "."+strings.TrimPrefix(d, "."))
	})
}

func (q *Query) onPath(f *Find) bool {
	dir, _ := f.split()
	return q.Components == nil || slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return part != "" && slices.Contains(q.Components, part)
	})
}
