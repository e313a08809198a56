// Command mail measures package mailstore with many messages: the time to index them, the
// size of the index, the memory, and the time to find a message.
//
// It generates the mail in a temporary directory. A separate process measures it.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/mailstore"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("mail: ")
	messages := flag.Int("messages", 1_000_000, "number of messages")
	layouts := flag.String("layouts", "mbox,maildir", "formats of the mail")
	folders := flag.Int("folders", 20, "number of mbox files or Maildir folders")
	temporary := flag.String("tmp", "", "directory for the mail; empty: the system's")
	measured := flag.String("measure", "", "measure the mail in this directory")
	flag.Parse()
	m := mail{messages: *messages, folders: max(*folders, 1)}
	var err error
	if *measured != "" {
		err = m.measure(*measured)
	} else {
		err = m.report(strings.Split(*layouts, ","), *temporary)
	}
	if err != nil {
		log.Fatal(err)
	}
}

type mail struct{ messages, folders int }

// report generates the mail in each layout and starts the process that measures it.
func (m mail) report(layouts []string, temporary string) error {
	fmt.Println("| mail | octets | index | messages a second | size | peak memory | not there | one more | find: p50, p99, most | nothing cached: p50, p99, most |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	program, err := os.Executable()
	if err != nil {
		return err
	}
	for _, layout := range layouts {
		dir, err := os.MkdirTemp(temporary, "locus-bench-")
		if err != nil {
			return err
		}
		octets, err := m.write(layout, filepath.Join(dir, "mail"))
		if err == nil {
			fmt.Printf("| %d in %d %s | %.2f GB |", m.messages, m.folders, layout, float64(octets)/1e9)
			cmd := exec.Command(program, "-measure", dir, "-messages", fmt.Sprint(m.messages), "-folders", fmt.Sprint(m.folders))
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			err = cmd.Run()
		}
		if err := errors.Join(err, os.RemoveAll(dir)); err != nil {
			return err
		}
	}
	return nil
}

// id returns the identifier of a message. Consecutive identifiers share no prefix.
func id(i int) string { return fmt.Sprintf("%08x.%d@host.dom", uint32(i)*2654435761, i) }

// write writes the messages and returns their size in octets.
func (m mail) write(layout, dir string) (octets int64, err error) {
	for folder := range m.folders {
		path := filepath.Join(dir, fmt.Sprintf("folder%03d", folder))
		from, to := folder*m.messages/m.folders, (folder+1)*m.messages/m.folders
		var n int64
		switch layout {
		case "mbox":
			n, err = writeMbox(path, from, to)
		case "maildir":
			n, err = writeMaildir(path, from, to)
		default:
			err = fmt.Errorf("there is no layout %q", layout)
		}
		if octets += n; err != nil {
			return 0, err
		}
	}
	return octets, nil
}

func writeMbox(path string, from, to int) (octets int64, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return 0, err
	}
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for i := from; i < to; i++ {
		text := message(i)
		n, err := io.WriteString(w, "From joe@host.dom Sat Jan  3 01:05:34 1996\n"+text+"\n")
		if octets += int64(n); err != nil {
			return 0, err
		}
	}
	return octets, w.Flush()
}

func writeMaildir(path string, from, to int) (octets int64, err error) {
	for _, name := range []string{"cur", "new", "tmp"} {
		if err := os.MkdirAll(filepath.Join(path, name), 0o700); err != nil {
			return 0, err
		}
	}
	for i := from; i < to; i++ {
		text := message(i)
		octets += int64(len(text))
		name := fmt.Sprintf("%d.M%dP%d.host.dom,S=%d:2,S", 1_700_000_000+i, i%1_000_000, i%30_000, len(text))
		if err := os.WriteFile(filepath.Join(path, "cur", name), []byte(text), 0o600); err != nil {
			return 0, err
		}
	}
	return octets, nil
}

// message returns a message of one or two kilobytes.
func message(i int) string {
	r := rand.New(rand.NewPCG(1738, uint64(i)))
	return fmt.Sprintf("Return-Path: <joe%d@host.dom>\nReceived: from a.host.dom (a.host.dom [192.0.2.%d])\n\tby b.host.dom with ESMTP id %d; Sat, 3 Jan 1996 01:05:34 +0000\n"+
		"From: Joe Doe <joe%d@host.dom>\nTo: list@host.dom\nSubject: =?utf-8?q?message_%d?=\nDate: Sat, 3 Jan 1996 01:05:34 +0000\n"+
		"Message-ID: <%s>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n%s>From here on there is nothing.\n",
		i, i%250, i, i, i, id(i), strings.Repeat("A line of a message that is about as long as a line is, or is it.\n", 5+r.IntN(20)))
}

// measure measures the mail in a directory and prints the rest of its row.
func (m mail) measure(dir string) error {
	options := mailstore.Options{Sources: []string{filepath.Join(dir, "mail")}, Cache: filepath.Join(dir, "cache"), Note: func(err error) { log.Print(err) }}
	ctx := context.Background()
	s, err := mailstore.Open(ctx, options)
	if err != nil {
		return err
	}
	settle()
	if err := uncache(filepath.Join(dir, "mail")); err != nil {
		return err
	}
	took, err := timed(func() error { return s.Refresh(ctx, nil) })
	if err != nil {
		return err
	}
	size, err := sizeOf(options.Cache)
	if err != nil {
		return err
	}
	fmt.Printf(" %.1f s | %.0f | %.0f MiB | %s |", took.Seconds(), float64(m.messages)/took.Seconds(), float64(size)/(1<<20), peak())
	if err := m.changes(ctx, s, filepath.Join(dir, "mail")); err != nil {
		return err
	}
	find := func(i int) (path string, err error) {
		s, err := mailstore.Open(ctx, options)
		if err != nil {
			return "", err
		}
		list, err := s.Find(ctx, id(i))
		if err == nil && len(list) != 1 {
			return "", fmt.Errorf("%s is found %d times", id(i), len(list))
		}
		return list[0].Path, errors.Join(err, s.Close())
	}
	if err := m.lookups(10_000, func(int) error { return nil }, find); err != nil {
		return err
	}
	forget := func(i int) error {
		path, err := find(i)
		return errors.Join(err, uncache(path), uncache(options.Cache))
	}
	err = m.lookups(200, forget, find)
	fmt.Println()
	return err
}

// changes prints the time to find that an identifier is unknown when nothing has changed,
// and the time to find a message that was just added.
func (m mail) changes(ctx context.Context, s *mailstore.Store, dir string) error {
	none, err := timed(func() error {
		list, err := s.Find(ctx, "missing@host.dom")
		if len(list) > 0 {
			err = errors.New("an unknown message was found")
		}
		return err
	})
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "folder000")
	if info, err := os.Stat(path); err != nil {
		return err
	} else if info.IsDir() {
		err = os.WriteFile(filepath.Join(path, "new", "1.M2P3.host.dom"), []byte(message(m.messages)), 0o600)
		if err != nil {
			return err
		}
	} else if err := add(path, "From joe@host.dom Sat Jan  3 01:05:34 1996\n"+message(m.messages)+"\n"); err != nil {
		return err
	}
	one, err := timed(func() error { return s.Refresh(ctx, nil) })
	fmt.Printf(" %v | %v |", none.Round(time.Millisecond), one.Round(time.Millisecond))
	return err
}

func add(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// lookups prints the times of n lookups. Each runs before, and then opens the store.
func (m mail) lookups(n int, before func(i int) error, find func(i int) (string, error)) error {
	r := rand.New(rand.NewPCG(1738, 0))
	times := make([]time.Duration, n)
	for at := range times {
		i := r.IntN(m.messages)
		err := before(i)
		if err == nil {
			times[at], err = timed(func() error {
				_, err := find(i)
				return err
			})
		}
		if err != nil {
			return err
		}
	}
	slices.Sort(times)
	fmt.Printf(" %s, %s, %s |", milliseconds(times[n/2]), milliseconds(times[n*99/100]), milliseconds(times[n-1]))
	return nil
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }

func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// peak returns the most memory that this process had, including mapped pages of files.
func peak() string {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		var kilobytes int
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); err == nil {
			return fmt.Sprintf("%d MiB", kilobytes/1024)
		}
	}
	return "unknown"
}
