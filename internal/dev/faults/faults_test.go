package faults

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/filelock"
)

// brokenVar is the environment variable that selects a defect of the simple store in child
// processes of [TestBroken].
const brokenVar = "LOCUS_FAULTS_BROKEN"

// simple is a store in one text file. Each line contains a number, a text and a checksum.
type simple struct {
	broken  string
	f       *os.File
	waiting []byte // of a store that is broken by "buffers"
}

func text(i int) string { return strconv.Itoa(i) + " " + strings.Repeat("text", 250) }

func openSimple(dir string) (Store, error) {
	s := &simple{broken: os.Getenv(brokenVar)}
	name := filepath.Join(dir, "simple")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil && s.broken == "mute" {
		return nil, errors.Unwrap(err)
	}
	if err != nil {
		return nil, err
	}
	if err := filelock.Try(f); err != nil && s.broken != "unlocked" {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.f = f
	return s, nil
}

func (s *simple) Put(i int) error {
	line := text(i)
	line = fmt.Sprintf("\n%s %08x\n", line, crc32.ChecksumIEEE([]byte(line)))
	if s.broken == "buffers" {
		s.waiting = append(s.waiting, line...)
		return nil
	}
	_, err := s.f.WriteString(line)
	return err
}

func (s *simple) Get(i int) (bool, error) {
	octets, err := os.ReadFile(s.f.Name())
	if err != nil {
		return false, err
	}
	for line := range bytes.Lines(append(octets, s.waiting...)) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		number, _, _ := strings.Cut(string(line), " ")
		if number != strconv.Itoa(i) {
			continue
		}
		if s.broken == "panics" && len(line) < 1000 {
			panic("a short line")
		}
		body, sum := line[:max(len(line)-9, 0)], line[max(len(line)-8, 0):]
		if string(body) == text(i) {
			return true, nil
		}
		if s.broken == "unchecked" {
			return true, fmt.Errorf("%w: %.20q", ErrWrong, body)
		}
		if fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) != string(sum) {
			continue // the line is damaged
		}
	}
	return false, nil
}

func (s *simple) Close() error {
	_, err := s.f.Write(s.waiting)
	return errors.Join(err, s.f.Close())
}

// TestFaults runs all faults on a store that survives them.
func TestFaults(t *testing.T) {
	Run(t, Driver{Open: openSimple, Promise: AtPut})
}

// For each fault, Run detects a store that does not survive the fault.
func TestBroken(t *testing.T) {
	for broken, want := range map[string]string{
		"buffers":   "--- FAIL: TestFaults/kill",
		"unlocked":  "--- FAIL: TestFaults/two",
		"mute":      "--- FAIL: TestFaults/read-only",
		"unchecked": "--- FAIL: TestFaults/damage",
		"panics":    "panic: a short line",
	} {
		t.Run(broken, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run", "^TestFaults$")
			cmd.Env = append(os.Environ(), brokenVar+"="+broken)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), want) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
