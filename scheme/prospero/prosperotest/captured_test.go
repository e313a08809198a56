package prosperotest

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// exchanged is a request of an original client and the original server's reply.
type exchanged struct {
	name, server   string
	request, reply string
}

func readExchanged(t testing.TB) (list []exchanged) {
	t.Helper()
	f, err := os.Open("testdata/exchanges.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s, n := bufio.NewScanner(f), 1; s.Scan(); n++ {
		mark, rest, _ := strings.Cut(s.Text(), " ")
		last := max(len(list)-1, 0)
		switch mark {
		case "#":
			if name, server, ok := strings.Cut(rest, " "); ok && strings.Contains(name, "/") {
				list = append(list, exchanged{name: name, server: server})
			}
		case "C:", "S:":
			text, err := strconv.Unquote(rest)
			if err != nil {
				t.Fatalf("line %d: %v", n, err)
			}
			if mark == "C:" {
				list[last].request += text
			} else {
				list[last].reply += text
			}
		}
	}
	if len(list) < 70 {
		t.Fatalf("%d exchanges", len(list))
	}
	return list
}

// more matches recorded requests that this client does not send and that the test server does not
// answer like the original server. Such requests contain components, filters, version 1 of the
// protocol, write commands, or too few attributes to describe an object.
var more = regexp.MustCompile(`COMPONENTS '*[^'\n]|FILTER|VERIFY|VERSION 1|#ALL|ATOMIC|LIST [^C]*COMPONENTS /|INFO ACCESS-METHOD ASCII AFTP|SIZE[+]ACCESS|INFO ACCESS-METHOD[+]\w+ `)

// If the test server serves the visible objects of the original server, it must send exactly the
// same replies.
func TestExchanged(t *testing.T) {
	list := readExchanged(t)
	servers := map[string]*Server{
		"A": newServer(treeA(list), &Options{Host: hostA, Software: "P53.17May94b", Local: true, Archie: invented}),
		"B": newServer(treeB(), &Options{Host: hostB, Software: "P53.17May94b", Local: true}),
	}
	compared := 0
	for _, e := range list {
		if more.MatchString(e.request) {
			continue
		}
		compared++
		x := exchange{s: servers[e.server]}
		x.run(e.request)
		if string(x.out) != e.reply {
			t.Errorf("%s: to\n%s\nsays\n%s\nwant\n%s", e.name, e.request, x.out, e.reply)
		}
	}
	if compared < 35 {
		t.Errorf("%d exchanges", compared)
	}
}

const (
	hostA = "PFS.EXAMPLE.EDU(11525)"
	hostB = "PFS2.EXAMPLE.EDU(11526)"
	modes = "-rw-rw-rw-"
)

var modified = time.Date(1994, 5, 5, 0, 0, 0, 0, time.UTC)

// file returns a file with the modification time and modes of the original server's files.
func file(data string) Object { return Object{Data: data, ModTime: modified, Modes: modes} }

func sized(n int) Object { return file(strings.Repeat("x", n)) }

func listed(links ...Link) Object {
	return Object{Links: append([]Link{}, links...), ModTime: modified, Modes: "drwxrwxrwx"}
}

func realFiles(names ...string) (list []Link) {
	for _, name := range names {
		list = append(list, Link{Name: name})
	}
	return list
}

// anonymous returns the object o with an access method for the anonymous FTP server on the
// original server's machine.
func anonymous(hsoname string, o Object) Object {
	name := strings.TrimPrefix(hsoname, "AFTP")
	o.Methods = []Method{{"AFTP", "INTERNET-D", "PFS.EXAMPLE.EDU", "ASCII", name, "BINARY"}}
	return o
}

func treeA(list []exchanged) Directory {
	const intro = "/pfs/info/papers/intro.txt"
	described := sized(19)
	described.Attributes = []Attribute{{Name: "DESCRIPTION", Value: []string{"A short description of it", "second"}}}
	tagged := file("body text\n")
	tagged.Attributes = []Attribute{
		{Nature: "FIELD", Name: "CONTENTS", Value: []string{"TAGGED", "Title", "A tagged object"}},
		{Name: "CONTENTS", Value: []string{"TAGGED", "Author", "A. N. Other"}},
	}
	moved := listed()
	moved.Moved = &Link{Host: hostB, HSOName: "/pfs2/info/archive"}
	movedFile := sized(1)
	movedFile.Moved = &Link{Host: hostB, HSOName: "/pfs2/info/archive/old paper.txt", Expires: time.Date(1998, 12, 31, 0, 0, 0, 0, time.UTC)}
	loop := listed()
	loop.Moved = &Link{Host: hostB, HSOName: "/pfs2/info/loop"}
	var lines strings.Builder
	for i := range 80 {
		fmt.Fprintf(&lines, "Line %03d: the quick brown fox's jump, over the /lazy/ dog + more.\n", i+1)
	}
	var octets strings.Builder
	for i := range 6144 {
		octets.WriteByte(byte(i))
	}
	d := Directory{
		"/pfs/info": listed(append([]Link{{Name: "remote", Target: "DIRECTORY", Host: hostB, HSOName: "/pfs2/info/archive"}}, realFiles(
			"moved", "moved-file", "loop", "union", "sealed", "filters", "empty", "huge", "guide", "papers", "big", "ids")...)...),
		"/pfs/info/guide":      listed(guide()...),
		"/pfs/info/moved":      moved,
		"/pfs/info/moved-file": movedFile,
		"/pfs/info/loop":       loop,
		"/pfs/info/empty":      listed(),
		"/pfs/info/sealed":     listed(Link{Name: "secret plan", Target: "NULL"}),
		"/pfs/info/ids":        listed(Link{Name: "numbered", HSOName: intro, ID: "REMOTE 123456"}, Link{Name: "plain", HSOName: intro}),
		"/pfs/info/union": listed(
			Link{Name: "own", HSOName: intro},
			Link{Name: "papers-union", Union: true, HSOName: "/pfs/info/papers"},
			Link{Name: "archive-union", Union: true, Target: "DIRECTORY", Host: hostB, HSOName: "/pfs2/info/archive"}),
		"/pfs/info/filters": listed(Link{Name: "filtered", HSOName: "/pfs/info/papers", Attributes: []Attribute{{
			AppliesTo: "LINK", Nature: "FIELD", Name: "FILTER",
			Filter: []string{"DIRECTORY", "CLIENT", "POST", "PREDEFINED", "attribute match", "ARGS", "one", "two three"},
		}}}),
		"/pfs/info/papers":                     listed(realFiles("it's.txt", "caf\u00e9.txt", "semi;colon=100%.txt", "two words.txt", "intro.txt", "a+b,c.txt", "tagged")...),
		"/pfs/info/papers/it's.txt":            sized(2),
		"/pfs/info/papers/caf\u00e9.txt":       sized(13),
		"/pfs/info/papers/semi;colon=100%.txt": sized(20),
		"/pfs/info/papers/two words.txt":       file("second file\nwith 'quotes' and a tab\there\n"),
		intro:                                  described,
		"/pfs/info/papers/a+b,c.txt":           sized(15),
		"/pfs/info/papers/tagged":              tagged,
		"/pfs/info/big":                        listed(namesLike(list, `LINK  L FILE (document-\d+.txt) `)...),
		"/pfs/info/huge":                       listed(namesLike(list, `LINK  L FILE (entry' number \d+.dat') `)...),
	}
	for name, o := range map[string]Object{
		"AFTP/pub/docs":            listed(),
		"AFTP/pub/docs/README":     file("This is the README of the anonymous FTP area.\nSecond line.\n"),
		"AFTP/pub/docs/notes.txt":  sized(6),
		"AFTP/pub/docs/long.txt":   file(lines.String()),
		"AFTP/pub/images/logo.gif": file(octets.String()),
	} {
		d[name] = anonymous(name, o)
	}
	return d
}

// namesLike returns links with the names in the recorded replies that match the expression. Their
// order is the arbitrary directory order of the original server.
func namesLike(list []exchanged, expression string) []Link {
	like, seen := regexp.MustCompile(expression), map[string]bool{}
	var names []string
	for _, e := range list {
		for _, found := range like.FindAllStringSubmatch(e.reply, -1) {
			if name := strings.ReplaceAll(found[1], "'", ""); !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return realFiles(names...)
}

// guide returns the links of a handmade directory, which contains every type of link.
func guide() []Link {
	const intro = "/pfs/info/papers/intro.txt"
	method := func(m ...string) []Method { return []Method{m} }
	readme := Link{Name: "README", HSOName: "AFTP/pub/docs/README"}
	related := readme
	related.Attributes = []Attribute{{Name: "NOTE", Value: []string{"attribute of the inner link"}}}
	return []Link{
		{
			Name: "emacs-19.22.tar.gz", Host: "FTP.EXAMPLE.ORG", HSOName: "/pub/gnu/emacs-19.22.tar.gz", Methods: method("AFTP", "", "", "", "", "BINARY"),
			Attributes: []Attribute{
				{Nature: "INTRINSIC", Name: "SIZE", Value: []string{"10893760 bytes"}},
				{Nature: "INTRINSIC", Name: "LAST-MODIFIED", Value: []string{"19940305120000Z"}},
				{Nature: "INTRINSIC", Name: "UNIX-MODES", Value: []string{"-rw-r--r--"}},
			},
		},
		{
			Name: "release notes", Host: "FTP.EXAMPLE.ORG", HSOName: "/pub/gnu/release notes",
			Methods: method("AFTP", "INTERNET-D", "MIRROR.EXAMPLE.NET", "ASCII", "/mirror/gnu/release notes", "TEXT"),
		},
		{Name: "private report", Host: "FTP.EXAMPLE.ORG", HSOName: "/home/staff/report.ps", Methods: method("FTP", "", "", "", "", "BINARY")},
		{
			Name: "Weather maps", Host: "GOPHER.EXAMPLE.NET(70)", HSOName: "1/Weather/Maps", Methods: method("GOPHER", "", "", "", ""),
			Attributes: []Attribute{{Name: "GOPHER-MENU-ITEM", Value: []string{"1Weather maps\t1/Weather/Maps\tgopher.example.net\t70"}}},
		},
		{Name: "About gopher", Host: "GOPHER.EXAMPLE.NET(7070)", HSOName: "about/text?x", Methods: method("GOPHER", "", "", "", "", "0")},
		{Name: "Old catalogue", Host: "WAIS.EXAMPLE.COM(8210)", HSOName: "WAIS/OBJECT/;:TEXT:catalogue 17;", Methods: method("WAIS", "", "", "", "")},
		{
			Name: "Library terminal", Host: "LIBRARY.EXAMPLE.EDU(23)", Methods: method("TELNET", "", "", "", "", `Use the account name "guest" to log in`),
			Attributes: []Attribute{{Name: "OBJECT-INTERPRETATION", Value: []string{"PORTAL"}}},
		},
		{Name: "Mainframe", Host: "VM.EXAMPLE.EDU", Methods: method("TN3270", "", "", "", "")},
		{Name: "Shared volume", Host: "NFS.EXAMPLE.EDU", HSOName: "pub/docs/paper.ps", Methods: method("NFS", "", "", "", "", "/export/home1")},
		{Name: "Cell file", Host: "AFS.EXAMPLE.EDU", HSOName: "/example.edu/doc/file.txt", Methods: method("AFS", "", "", "ASCII", "/example.edu/doc/file.txt")},
		{
			Name: "Two ways", Host: "GOPHER.EXAMPLE.NET(70)", HSOName: "ftp:ftp.example.org@/pub/a.txt",
			Methods: []Method{{"AFTP", "INTERNET-D", "FTP.EXAMPLE.ORG", "ASCII", "/pub/a.txt", "TEXT"}, {"GOPHER", "", "", "", "", "0"}},
		},
		{
			Name: "Unknown method", Host: "WWW.EXAMPLE.ORG", HSOName: "/index.html",
			Methods: method("X-CARRIER-PIGEON", "INTERNET-D", "WWW.EXAMPLE.ORG", "ASCII", "/index.html", "one", "two"),
		},
		readme,
		{Name: "archive", Target: "DIRECTORY", Host: hostB, HSOName: "/pfs2/info/archive"},
		{Name: "in a virtual system", Target: "SYMBOLIC", HostType: "VIRTUAL-SYSTEM", Host: "#/INET/EDU/EXAMPLE/vs", HSOName: "/docs/index"},
		{Name: "dated", HSOName: intro, Expires: time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC)},
		{Name: "slash/name", HSOName: intro},
		{Name: "don't", HSOName: "/pfs/info/papers/it's.txt"},
		{
			Name: "see also", Target: "OBJECT", HSOName: intro,
			Attributes: []Attribute{{Name: "SEE-ALSO", Link: &related}, {Name: "AFTER", Value: []string{"outer"}}},
		},
	}
}

func treeB() Directory {
	loop := listed()
	loop.Moved = &Link{Host: hostA, HSOName: "/pfs/info/loop"}
	return Directory{
		"/pfs2/info":                            listed(realFiles("archive", "loop")...),
		"/pfs2/info/archive":                    listed(realFiles("old paper.txt", "year 1993")...),
		"/pfs2/info/archive/old paper.txt":      sized(1),
		"/pfs2/info/archive/year 1993":          listed(realFiles("february", "january")...),
		"/pfs2/info/archive/year 1993/january":  sized(1),
		"/pfs2/info/archive/year 1993/february": sized(1),
		"/pfs2/info/loop":                       loop,
	}
}

// invented answers queries like the stub that replaced the Archie database of the original server.
// It derives names from the search words and ignores filters.
func invented(q Query) []Find {
	sites := []Find{
		{Site: "ftp.example.org", Path: "/pub/gnu/"},
		{Site: "gatekeeper.example.com", Path: "/systems/unix/"},
		{Site: "nic.example.net", Path: "/mirrors/archie clients/"},
		{Site: "src.example.ac.uk", Path: "/pub/net/prospero/"},
	}
	var table []Find
	for i := range q.Hits {
		f, month := sites[i%len(sites)], time.Month(i%12+1)
		name := q.Words
		if q.Type != '=' {
			name = fmt.Sprintf("%s-%d.%d.tar.Z", q.Words, 1+i/4, i%4)
		}
		f.Path += name
		f.Directory = i%5 == 4
		f.Size = 512 + 1000*i
		f.ModTime = time.Date(1994, month, i%28+1, 10, 15, 0, 0, time.UTC)
		f.Visited = time.Date(1993, month, 1, 0, 0, 0, 0, time.UTC)
		table = append(table, f)
	}
	return Search(table)(q)
}
