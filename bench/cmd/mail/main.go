// Command mail measures the performance of package mailstore with many messages. It reports the
// time for indexing the messages, the index size, the memory, and the time for finding a message.
//
// The command generates the mail in a temporary directory. A separate process runs the
// measurement.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/bench"
	"github.com/locus-url/locus/mailstore"
)

func main() { bench.Main("mail", run) }

func run() {
	messages := flag.Int("messages", 1_000_000, "number of messages")
	layouts := flag.String("layouts", "mbox,maildir", "formats of the mail")
	folders := flag.Int("folders", 20, "number of mbox files or Maildir folders")
	temporary := flag.String("tmp", "", "directory for the mail; default: the system's temporary directory")
	measured := flag.String("measure", "", "measure the mail in this directory")
	flag.Parse()
	m := mail{messages: *messages, folders: max(*folders, 1)}
	if *measured != "" {
		m.measure(*measured)
		return
	}
	fmt.Println("| mail | bytes | index | messages per second | size | peak memory | not there | one more | find: p50, p99, most | nothing cached: p50, p99, most |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for layout := range strings.SplitSeq(*layouts, ",") {
		m.report(layout, *temporary)
	}
}

type mail struct{ messages, folders int }

func (m mail) report(layout, temporary string) {
	dir := bench.Must(os.MkdirTemp(temporary, "locus-bench-"))
	defer os.RemoveAll(dir)
	octets := m.write(layout, filepath.Join(dir, "mail"))
	fmt.Printf("| %d in %d %s | %.2f GB |", m.messages, m.folders, layout, float64(octets)/1e9)
	cmd := exec.Command(bench.Must(os.Executable()), "-measure", dir, "-messages", fmt.Sprint(m.messages), "-folders", fmt.Sprint(m.folders))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	bench.Check(cmd.Run())
}

// id returns the i-th message identifier. Consecutive identifiers share no prefix.
func id(i int) string { return fmt.Sprintf("%08x.%d@host.dom", uint32(i)*2654435761, i) }

// write writes the messages and returns their total size in bytes.
func (m mail) write(layout, dir string) (octets int) {
	write := map[string]func(path string, from, to int) int{"mbox": writeMbox, "maildir": writeMaildir}[layout]
	if write == nil {
		bench.Check(fmt.Errorf("unknown layout %q", layout))
	}
	bench.Check(os.MkdirAll(dir, 0o700))
	for folder := range m.folders {
		octets += write(filepath.Join(dir, fmt.Sprintf("folder%03d", folder)), folder*m.messages/m.folders, (folder+1)*m.messages/m.folders)
	}
	return octets
}

func writeMbox(path string, from, to int) (octets int) {
	f := bench.Must(os.Create(path))
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for i := from; i < to; i++ {
		octets += bench.Must(w.WriteString(fromLine + message(i) + "\n"))
	}
	bench.Check(w.Flush())
	return octets
}

const fromLine = "From joe@host.dom Sat Jan  3 01:05:34 1996\n"

func writeMaildir(path string, from, to int) (octets int) {
	for _, name := range []string{"cur", "new", "tmp"} {
		bench.Check(os.MkdirAll(filepath.Join(path, name), 0o700))
	}
	for i := from; i < to; i++ {
		text := message(i)
		octets += len(text)
		name := fmt.Sprintf("%d.M%dP%d.host.dom,S=%d:2,S", 1_700_000_000+i, i%1_000_000, i%30_000, len(text))
		bench.Check(os.WriteFile(filepath.Join(path, "cur", name), []byte(text), 0o600))
	}
	return octets
}

func message(i int) string {
	r := rand.New(rand.NewPCG(1738, uint64(i)))
	return fmt.Sprintf("Return-Path: <joe%d@host.dom>\nReceived: from a.host.dom (a.host.dom [192.0.2.%d])\n\tby b.host.dom with ESMTP id %d; Sat, 3 Jan 1996 01:05:34 +0000\n"+
		"From: Joe Doe <joe%d@host.dom>\nTo: list@host.dom\nSubject: =?utf-8?q?message_%d?=\nDate: Sat, 3 Jan 1996 01:05:34 +0000\n"+
		"Message-ID: <%s>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n%s>From here on there is nothing.\n",
		i, i%250, i, i, i, id(i), strings.Repeat("A line of a message that is about as long as a line is, or is it.\n", 5+r.IntN(20)))
}

func (m mail) measure(dir string) {
	folders := filepath.Join(dir, "mail")
	options := mailstore.Options{Sources: []string{folders}, Cache: filepath.Join(dir, "cache"), Note: func(err error) { log.Print(err) }}
	ctx := context.Background()
	s := bench.Must(mailstore.Open(ctx, options))
	settle()
	bench.Check(uncache(folders))
	took := timed(func() error { return s.Refresh(ctx, nil) })
	fmt.Printf(" %.1f s | %.0f | %.0f MiB | %s |", took.Seconds(), float64(m.messages)/took.Seconds(), float64(sizeOf(options.Cache))/(1<<20), peak())
	m.changes(ctx, s, folders)
	find := func(i int) (path string) {
		s := bench.Must(mailstore.Open(ctx, options))
		list := bench.Must(s.Find(ctx, id(i)))
		if len(list) != 1 {
			bench.Check(fmt.Errorf("found %s %d times", id(i), len(list)))
		}
		bench.Check(s.Close())
		return list[0].Path
	}
	m.lookups(10_000, find, nil)
	m.lookups(200, find, func(path string) { bench.Check(errors.Join(uncache(path), uncache(options.Cache))) })
	fmt.Println()
}

// changes prints the time of a lookup of an unknown identifier when nothing has changed. It also
// prints the time of a lookup of a new message.
func (m mail) changes(ctx context.Context, s *mailstore.Store, dir string) {
	none := timed(func() error {
		list, err := s.Find(ctx, "missing@host.dom")
		if len(list) > 0 {
			err = errors.New("an unknown message was found")
		}
		return err
	})
	path, before, after := filepath.Join(dir, "folder000"), fromLine, "\n"
	if bench.Must(os.Stat(path)).IsDir() {
		path, before, after = filepath.Join(path, "new", "1.M2P3.host.dom"), "", ""
	}
	f := bench.Must(os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))
	bench.Must(f.WriteString(before + message(m.messages) + after))
	bench.Check(f.Close())
	one := timed(func() error { return s.Refresh(ctx, nil) })
	fmt.Printf(" %v | %v |", none.Round(time.Millisecond), one.Round(time.Millisecond))
}

// lookups prints the times of n lookups. If the function forget is not nil, it calls this function
// before each lookup.
func (m mail) lookups(n int, find func(i int) (path string), forget func(path string)) {
	r := rand.New(rand.NewPCG(1738, 0))
	times := make([]time.Duration, n)
	for at := range times {
		i := r.IntN(m.messages)
		if forget != nil {
			forget(find(i))
		}
		start := time.Now()
		find(i)
		times[at] = time.Since(start)
	}
	slices.Sort(times)
	fmt.Printf(" %s, %s, %s |", milliseconds(times[n/2]), milliseconds(times[n*99/100]), milliseconds(times[n-1]))
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }

func timed(f func() error) time.Duration {
	start := time.Now()
	bench.Check(f())
	return time.Since(start)
}

func sizeOf(dir string) (size int64) {
	bench.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			size += bench.Must(d.Info()).Size()
		}
		return err
	}))
	return size
}

// peak returns the peak memory of this process, including mapped file pages.
func peak() string {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kilobytes int
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%d MiB", kilobytes/1024)
}
