package prosperotest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Query is an Archie query: ARCHIE/MATCH for files in archives, or ARCHIE/HOST for the
// directory Path of Site.
type Query struct {
	Hits, Matches, HitsPerMatch int // limits: in all, of different names, of each name
	Offset                      int // how many to skip first
	// Type is the kind of search: '=' 'n' exact, 's' substring, 'c' substring with
	// case, 'r' regular expression; 'k' 'z' 'x' are these for names instead of files.
	// Small letters try the exact name first.
	Type  byte
	Words string

	Site, Path string

	Domains    []string // AR_DOMAIN: possible ends of the site's name
	Components []string // AR_PATHCOMP: possible components of the path
}

// Find is a file or a directory in an archive.
type Find struct {
	Site      string // a host token: "ftp.example.org"
	Path      string // from the root of anonymous FTP, with "/"
	Directory bool
	Size      int
	ModTime   time.Time
	Modes     string    // empty: the defaults of Object
	Visited   time.Time // by the database
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

// archie answers a query with links. If it returns false, the reply has the error.
func (x *exchange) archie(hsoname string, filters []filter) (list []Link, ok bool) {
	x.wait = max(x.wait, archieWait)
	q, failure := parseQuery(hsoname)
	if failure != "" {
		return nil, x.fail(failure)
	}
	for _, f := range filters {
		values := strings.Split(strings.Join(f.arguments, ":"), ":")
		switch f.name {
		case "AR_DOMAIN":
			q.Domains = values
		case "AR_PATHCOMP":
			q.Components = values
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

// parseQuery reads the hsoname of a query; failure is the text after FAILURE, or empty.
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

// names returns a link for each different name in finds, which queries that name.
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

// link returns f as an item of a query's result.
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

// Search returns an answer function for Options.Archie that searches a table in order.
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

// like returns the match of names by q.Type, without the exact one.
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

// choose returns the matching entries of table, within the limits of q.
func (q *Query) choose(table []Find, match func(f *Find) bool) (list []Find) {
	names := map[string]int{}
	skipped := 0
	for i := range table {
		f := &table[i]
		if !match(f) || !q.inDomain(f) || !q.onPath(f) {
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
