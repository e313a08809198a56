// Command verify measures "locus verify" on a site on this machine, without limits on the rate of requests. With
// -before PROGRAM, the command also measures an older version of locus. With -files, the pages are files of a
// directory, and no server is necessary. Only the ratios are meaningful.
//
// With -serve, the command only serves the site and prints its URL, so that "rivals/run links" can
// measure other link checkers. A request for the path /requests returns the number of requests
// since the previous request for that path. With -hosts N, the pages link to N hosts, which are
// addresses of the loopback device.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/locus-url/locus/bench"
)

func main() { bench.Main("verify", report) }

// site is a set of pages that link to each other. One of a hundred links is dead.
type site struct {
	pages    []string
	requests atomic.Int64
}

// newSite returns a site. If the number of hosts is not zero, all links of a page except the first
// two lead to other hosts, at the same port.
func newSite(pages, links, hosts, port int) *site {
	r := rand.New(rand.NewPCG(1738, 20))
	s := &site{}
	host := 0
	for i := range pages {
		var b strings.Builder
		fmt.Fprintf(&b, "<!doctype html><html><head><title>Page %d</title></head><body><h1>Page %d</h1>\n", i, i)
		for j := range links {
			to, base := r.IntN(pages), ""
			if j < 2 {
				to = min(2*i+1+j, pages-1) // so that a chain of links reaches each page
			} else if hosts > 0 {
				n := host%hosts + 1
				base = fmt.Sprintf("http://127.%d.%d.%d:%d", 1+n/62500, n/250%250, 1+n%250, port)
				host++
			}
			if r.IntN(100) == 0 {
				to += pages
			}
			fmt.Fprintf(&b, "<p>Some text around it, as there is, and <a href=\"%s/pages/%d.html\">page %d</a> in it.</p>\n", base, to, to)
		}
		b.WriteString("</body></html>\n")
		s.pages = append(s.pages, b.String())
	}
	return s
}

// write writes the pages to a new directory in dir, in subdirectories of 1000 pages, and returns the directory. The
// links become relative references to files.
func (s *site) write(dir string) string {
	dir = filepath.Join(dir, "site")
	for i, page := range s.pages {
		name := filepath.Join(dir, fmt.Sprint(i/1000), fmt.Sprintf("%d.html", i))
		bench.Check(os.MkdirAll(filepath.Dir(name), 0o755))
		page = link.ReplaceAllStringFunc(page, func(text string) string {
			n := bench.Must(strconv.Atoi(link.FindStringSubmatch(text)[1]))
			return fmt.Sprintf(`"../%d/%d.html"`, n/1000, n)
		})
		bench.Check(os.WriteFile(name, []byte(page), 0o644))
	}
	return dir
}

// link matches a link of a page of a site without other hosts.
var link = regexp.MustCompile(`"/pages/(\d+)\.html"`)

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/requests" {
		fmt.Fprintln(w, s.requests.Swap(0))
		return
	}
	s.requests.Add(1)
	// With this header field, the program linkchecker does not limit its request rate.
	w.Header().Set("LinkChecker", "as fast as you can")
	var n int
	if r.URL.Path == "/" {
		r.URL.Path = "/pages/0.html"
	}
	if _, err := fmt.Sscanf(r.URL.Path, "/pages/%d.html", &n); err != nil || n < 0 || n >= len(s.pages) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", fmt.Sprint(len(s.pages[n])))
	if r.Method != http.MethodHead {
		fmt.Fprint(w, s.pages[n])
	}
}

// checker is a program to measure, and its results.
type checker struct {
	name     string
	command  func(url string) *exec.Cmd
	took     []bench.Process
	requests int64
}

func report() {
	pages := flag.Int("pages", 2000, "number of pages")
	links := flag.Int("links", 10, "links per page")
	rounds := flag.Int("rounds", 3, "number of rounds")
	before := flag.String("before", "", "path of an older program locus")
	files := flag.Bool("files", false, "check the pages as files of a directory")
	serve := flag.Bool("serve", false, "only serve the site")
	hosts := flag.Int("hosts", 0, "number of hosts that the pages link to, with -serve")
	flag.Parse()
	if *serve {
		serveSite(*pages, *links, *hosts)
		return
	}
	dir := bench.Must(os.MkdirTemp("", "locus-bench-"))
	defer os.RemoveAll(dir)
	s := newSite(*pages, *links, 0, 0)
	server := httptest.NewServer(s)
	defer server.Close()
	start, requests := server.URL+"/", int64(*pages)
	if *files {
		start, requests = s.write(dir), 0
	}
	list := checkers(dir, *before)
	for range *rounds {
		for _, c := range list {
			c.run(s, start, requests)
		}
	}
	fmt.Printf("%s, %d pages, %d links, medians of %d interleaved rounds.\n\n", bench.Machine(), *pages, *pages**links, *rounds)
	fmt.Println("| program | time | slower | processor time | slower | peak memory | requests |")
	fmt.Println("|---|---|---|---|---|---|---|")
	first := bench.Medians(list[0].took)
	for _, c := range list {
		p := bench.Medians(c.took)
		least, most := c.took[0], c.took[0]
		for _, one := range c.took {
			least.Wall, least.CPU = min(least.Wall, one.Wall), min(least.CPU, one.CPU)
			most.Wall, most.CPU = max(most.Wall, one.Wall), max(most.CPU, one.CPU)
		}
		fmt.Printf("| %s | %.2f s (%.2f-%.2f) | **%.2f×** | %.2f s (%.2f-%.2f) | **%.2f×** | %d MiB | %d |\n", c.name, p.Wall.Seconds(), least.Wall.Seconds(), most.Wall.Seconds(), float64(p.Wall)/float64(first.Wall),
			p.CPU.Seconds(), least.CPU.Seconds(), most.CPU.Seconds(), float64(p.CPU)/float64(first.CPU), p.Memory>>20, c.requests)
	}
}

// serveSite serves a site until a signal ends the process.
func serveSite(pages, links, hosts int) {
	l := bench.Must(net.Listen("tcp4", "0.0.0.0:0")) // listen on all addresses in 127.0.0.0/8
	port := l.Addr().(*net.TCPAddr).Port
	s := newSite(pages, links, hosts, port)
	fmt.Printf("http://127.0.0.1:%d/\n", port)
	bench.Check(http.Serve(l, s))
}

func checkers(dir, before string) []*checker {
	program := filepath.Join(dir, "locus")
	bench.BuildCommand(program)
	ours := func(name, program string) *checker {
		return &checker{name: name, command: func(url string) *exec.Cmd {
			return exec.Command(program, "verify", "--quiet", "--no-cache", "--rate", "0", "--per-host", "16", "--max-pages", "1000000", url)
		}}
	}
	list := []*checker{ours("locus verify", program)}
	if before != "" {
		list = append(list, ours("locus verify before", before))
	}
	return list
}

// run measures one run of the program. The program must fail, because the site contains dead
// links. The parameter requests is the minimum number of requests that the server must receive.
func (c *checker) run(s *site, url string, requests int64) {
	s.requests.Store(0)
	cmd := c.command(url)
	cmd.Env = append(os.Environ(), "HOME="+os.TempDir())
	p, err := bench.Run(cmd)
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		bench.Check(err)
	}
	c.took = append(c.took, p)
	if c.requests = s.requests.Load(); c.requests < requests {
		bench.Check(fmt.Errorf("%s requested %d of %d pages", c.name, c.requests, requests))
	}
}
