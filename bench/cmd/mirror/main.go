// Command mirror measures how long "locus mirror", wget, lftp and curl take to mirror a tree of
// small files on this machine over FTP, HTTP and Gopher. The command runs the programs
// alternately. Only the ratios are meaningful.
//
// The command needs vsftpd, nginx and the other programs. It must run as root, because vsftpd must
// run as root. The program curl can't search for files, so it receives a list of all URLs.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locus-url/locus/bench"
)

func main() { bench.Main("mirror", report) }

// tree describes the files of a server: directories that contain an index and pages.
type tree struct {
	dir     string
	folders int
	pages   int // pages per directory
	files   []string
}

func (t *tree) write() {
	var index strings.Builder
	for i := range t.folders {
		folder := fmt.Sprintf("d%03d", i)
		bench.Check(os.MkdirAll(filepath.Join(t.dir, folder), 0o755))
		fmt.Fprintf(&index, "<p><a href=\"%s/\">folder %d</a></p>\n", folder, i)
		var list strings.Builder
		for j := range t.pages {
			name := fmt.Sprintf("page%03d.html", j)
			fmt.Fprintf(&list, "<p><a href=\"%s\">page %d</a></p>\n", name, j)
			t.put(folder+"/"+name, fmt.Sprintf("<!doctype html><title>Page %d of %d</title>\n<p>%s</p>\n<p><a href=\"./\">up</a> <a href=\"page%03d.html\">next</a></p>\n", j, i, strings.Repeat("Some text, as there is. ", 35), (j+1)%t.pages))
		}
		t.put(folder+"/index.html", list.String())
	}
	t.put("index.html", index.String())
}

func (t *tree) put(name, text string) {
	bench.Check(os.WriteFile(filepath.Join(t.dir, name), []byte(text), 0o644))
	t.files = append(t.files, name)
}

// client is a program that mirrors to the current directory or downloads a list of URLs.
type client struct {
	name    string
	command []string
	input   string
	first   []bench.Process
	again   []bench.Process // runs that update an existing mirror; nil if the program can't update a mirror
}

type protocol struct {
	name    string
	clients []*client
}

func report() {
	folders := flag.Int("folders", 50, "number of folders")
	pages := flag.Int("pages", 99, "pages in a folder, besides its index")
	items := flag.Int("items", 1000, "number of gopher items")
	rounds := flag.Int("rounds", 3, "number of rounds")
	files := flag.String("tmp", "/dev/shm", "directory for the files")
	only := flag.String("only", "ftp,http,gopher", "protocols to measure")
	program := flag.String("program", "", "path of the locus command; built if empty")
	flag.Parse()
	dir := bench.Must(os.MkdirTemp("", "locus-bench-"))
	defer os.RemoveAll(dir)
	bench.Check(os.Chmod(dir, 0o755))
	if *program == "" {
		*program = filepath.Join(dir, "locus")
		bench.BuildCommand(*program)
	}
	t := &tree{dir: filepath.Join(dir, "pub"), folders: *folders, pages: *pages}
	bench.Check(os.Mkdir(t.dir, 0o755))
	t.write()
	for name := range strings.SplitSeq(*only, ",") {
		var p *protocol
		var end func()
		switch name {
		case "ftp":
			p, end = ftpClients(dir, *program, t)
		case "http":
			p, end = httpClients(dir, *program, t)
		case "gopher":
			p, end = gopherClients(*program, *items)
		default:
			bench.Check(fmt.Errorf("unknown protocol %q", name))
		}
		for range *rounds {
			for _, c := range p.clients {
				c.measure(*files)
			}
		}
		end()
		p.print(*rounds)
	}
}

// measure runs the client c in an empty directory. If the client can update a mirror, measure then
// runs the client again.
func (c *client) measure(files string) {
	dir := bench.Must(os.MkdirTemp(files, "locus-bench-"))
	defer os.RemoveAll(dir)
	c.first = append(c.first, c.run(dir))
	if c.again != nil {
		c.again = append(c.again, c.run(dir))
	}
}

func (c *client) run(dir string) bench.Process {
	var said bytes.Buffer
	cmd := exec.Command(c.command[0], c.command[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, strings.NewReader(c.input), &said
	cmd.Env = append(os.Environ(), "HOME="+dir)
	p, err := bench.Run(cmd)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w: %.500s", c.name, err, said.String())
	}
	bench.Check(err)
	return p
}

func (p *protocol) print(rounds int) {
	fmt.Printf("%s: %s, medians of %d interleaved rounds.\n\n", p.name, bench.Machine(), rounds)
	fmt.Println("| program | time | of locus | processor time | peak memory | again | of locus |")
	fmt.Println("|---|---|---|---|---|---|---|")
	base := bench.Medians(p.clients[0].first)
	for _, c := range p.clients {
		m := bench.Medians(c.first)
		again, ratio := "", ""
		if len(c.again) > 0 {
			a := bench.Medians(c.again)
			again = fmt.Sprintf("%.2f s", a.Wall.Seconds())
			ratio = fmt.Sprintf("**%.2f×**", float64(a.Wall)/float64(bench.Medians(p.clients[0].again).Wall))
		}
		fmt.Printf("| %s | %.2f s | **%.2f×** | %.2f s | %d MiB | %s | %s |\n", c.name, m.Wall.Seconds(), float64(m.Wall)/float64(base.Wall), m.CPU.Seconds(), m.Memory>>20, again, ratio)
	}
	fmt.Println()
}

// installed returns the clients whose programs are installed.
func installed(list ...*client) []*client {
	return slices.DeleteFunc(list, func(c *client) bool {
		_, err := exec.LookPath(c.command[0])
		return err != nil
	})
}

// config returns a configuration file that makes curl download a list of URLs.
func config(urls []string) string {
	var b strings.Builder
	for i, u := range urls {
		fmt.Fprintf(&b, "url = %q\noutput = \"%d\"\n", u, i)
	}
	return b.String()
}
