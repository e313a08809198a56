// Command verify measures "locus verify" and other link checkers on a site on this
// machine, without limits on the rate of requests. Only the ratios are meaningful.
//
// This process serves the site and counts the requests. The others are linkchecker, if it
// is installed (Debian has it), and linkinator, if -linkinator names the program (npm has
// it).
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/locus-url/locus/bench"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("verify: ")
	pages := flag.Int("pages", 2000, "number of pages")
	links := flag.Int("links", 10, "links per page")
	rounds := flag.Int("rounds", 3, "number of rounds")
	linkinator := flag.String("linkinator", "", "path of the program linkinator")
	flag.Parse()
	if err := report(*pages, *links, *rounds, *linkinator); err != nil {
		log.Fatal(err)
	}
}

// site is pages that link to each other. One link in a hundred is dead.
type site struct {
	pages    []string
	requests atomic.Int64
}

func newSite(pages, links int) *site {
	r := rand.New(rand.NewPCG(1738, 20))
	s := &site{}
	for i := range pages {
		var b strings.Builder
		fmt.Fprintf(&b, "<!doctype html><html><head><title>Page %d</title></head><body><h1>Page %d</h1>\n", i, i)
		for j := range links {
			to := r.IntN(pages)
			if j < 2 {
				to = min(2*i+1+j, pages-1) // so that each page is reached
			}
			if r.IntN(100) == 0 {
				to += pages
			}
			fmt.Fprintf(&b, "<p>Some text around it, as there is, and <a href=\"/pages/%d.html\">page %d</a> in it.</p>\n", to, to)
		}
		b.WriteString("</body></html>\n")
		s.pages = append(s.pages, b.String())
	}
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	// With this header linkchecker does not limit its rate.
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

// checker is a program to measure, with its results.
type checker struct {
	name     string
	command  func(url string) *exec.Cmd
	wall     []time.Duration
	cpu      []time.Duration
	memory   int64
	requests int64
}

func report(pages, links, rounds int, linkinator string) error {
	dir, err := os.MkdirTemp("", "locus-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := newSite(pages, links)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s}
	go server.Serve(l)
	defer server.Close()
	list, err := checkers(dir, linkinator)
	if err != nil {
		return err
	}
	url := fmt.Sprintf("http://%s/", l.Addr())
	for range rounds {
		for _, c := range list {
			if err := c.run(s, url); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%s %s/%s, %d processors, %d pages, %d links, medians of %d interleaved rounds.\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), pages, pages*links, rounds)
	fmt.Println("| program | time | slower | processor time | slower | peak memory | requests |")
	fmt.Println("|---|---|---|---|---|---|---|")
	first := list[0]
	for _, c := range list {
		wall, cpu := bench.Median(c.wall), bench.Median(c.cpu)
		fmt.Printf("| %s | %.2f s | **%.1f×** | %.2f s | **%.1f×** | %d MiB | %d |\n", c.name, wall.Seconds(), float64(wall)/float64(bench.Median(first.wall)),
			cpu.Seconds(), float64(cpu)/float64(bench.Median(first.cpu)), c.memory>>20, c.requests)
	}
	return nil
}

// checkers returns the programs that are installed.
func checkers(dir, linkinator string) ([]*checker, error) {
	program := filepath.Join(dir, "locus")
	if out, err := exec.Command("go", "build", "-C", "..", "-o", program, "./cmd/locus").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	list := []*checker{{name: "locus verify", command: func(url string) *exec.Cmd {
		return exec.Command(program, "verify", "--quiet", "--no-cache", "--rate", "0", "--per-host", "16", url)
	}}}
	if path, err := exec.LookPath("linkchecker"); err == nil {
		config := filepath.Join(dir, "linkcheckerrc")
		// The default limit is ten requests a second.
		if err := os.WriteFile(config, []byte("[checking]\nthreads=16\nmaxrequestspersecond=100000\n"), 0o644); err != nil {
			return nil, err
		}
		// Started by root, it continues as the user nobody.
		if err := os.Chmod(dir, 0o755); err != nil {
			return nil, err
		}
		list = append(list, &checker{name: "linkchecker", command: func(url string) *exec.Cmd {
			return exec.Command(path, "-f", config, "--no-status", "--no-warnings", url)
		}})
	}
	if linkinator != "" {
		list = append(list, &checker{name: "linkinator", command: func(url string) *exec.Cmd {
			return exec.Command(linkinator, url, "--recurse", "--concurrency", "100", "--verbosity", "none")
		}})
	}
	return list, nil
}

// run measures one run. The exit status is a failure, because there are dead links.
func (c *checker) run(s *site, url string) error {
	s.requests.Store(0)
	cmd := c.command(url)
	cmd.Env = append(os.Environ(), "HOME="+os.TempDir())
	begin := time.Now()
	err := cmd.Run()
	c.wall = append(c.wall, time.Since(begin))
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	c.cpu = append(c.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	c.memory = max(c.memory, bench.PeakMemory(cmd.ProcessState))
	if c.requests = s.requests.Load(); c.requests < int64(len(s.pages)) {
		return fmt.Errorf("%s requested %d of %d pages", c.name, c.requests, len(s.pages))
	}
	return nil
}
