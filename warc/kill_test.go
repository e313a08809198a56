package warc_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus/warc"
)

// killVar is the environment variable with the name of the archive. A process of this test
// writes to the archive until the process is killed.
const killVar = "LOCUS_TEST_WARC"

func TestMain(m *testing.M) {
	name := os.Getenv(killVar)
	if name == "" {
		os.Exit(m.Run())
	}
	w, err := warc.Create(name, nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	line := strings.Repeat("0123456789abcdef", 1<<10)
	for i := 0; ; i++ {
		e := &warc.Entry{Type: "resource", Target: fmt.Sprintf("gopher://h.example/0%d-%d", os.Getpid(), i), Block: w.NewBlock()}
		io.WriteString(e.Block, line)
		if i%20 == 19 { // this block needs a temporary file
			io.WriteString(e.Block, strings.Repeat(line, 70))
		}
		if err := w.Write(e); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(i + 1)
	}
}

// After processes are killed, another process can continue the archive. The archive
// contains each record that was reported as written, and no other file remains.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.warc.gz")
	written := 0
	for round := range 5 {
		process := exec.Command(os.Args[0])
		process.Env = append(os.Environ(), killVar+"="+name)
		out, err := process.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n < 10+37*round && lines.Scan(); {
			if n, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(lines.Text())
			}
		}
		if err := process.Process.Kill(); err != nil {
			t.Error(err)
		}
		last := 10 + 37*round
		for lines.Scan() { // reported before the signal arrived
			if last, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(lines.Text())
			}
		}
		process.Wait()
		written += last
	}
	w, err := warc.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	closed(t, w)
	if got := names(t, dir); got != "a.cdxj a.warc.gz" {
		t.Error(got)
	}
	found := 0
	for in := warc.NewReader(bytes.NewReader(file(t, name))); ; {
		rec, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, rec); err != nil || n != rec.Length {
			t.Errorf("%s: %d octets, %v", rec.Target(), n, err)
		}
		if rec.Type == "resource" {
			found++
		}
	}
	// A process may be killed after it wrote a record and before it reported the record.
	if found < written || found > written+5 {
		t.Errorf("%d records, and %d were said to be written", found, written)
	}
	checkIndex(t, name, found)
}
