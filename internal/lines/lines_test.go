package lines

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testTimeout is how long a test waits for an event.
const testTimeout = time.Minute

// readBlocks returns the blocks that Blocks yields as text. The text contains each line, "cut N"
// for each truncated line, and each error. If showWaits is true, the text contains "..." for each
// block with Wait.
func readBlocks(t testing.TB, names []string, o *Options, showWaits bool) string {
	t.Helper()
	var text strings.Builder
	for b := range Blocks(t.Context(), names, o) {
		text.WriteString(show(t, b, showWaits))
		b.Release()
	}
	return text.String()
}

func show(t testing.TB, b *Block, waits bool) string {
	t.Helper()
	var text strings.Builder
	number := b.Line
	switch {
	case b.Err != nil:
		fmt.Fprintf(&text, "! %v\n", b.Err)
	case b.Cut > 0:
		fmt.Fprintf(&text, "%s:%d cut %d %q\n", b.Source, b.Line, b.Cut, b.Text)
	default:
		for line := range bytes.Lines(b.Text) {
			fmt.Fprintf(&text, "%s:%d %q\n", b.Source, number, line)
			number++
		}
	}
	if b.Wait && waits {
		text.WriteString("...\n")
	}
	return text.String()
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// zip compresses each text as a gzip member.
func zip(t testing.TB, texts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// slowLines is a simple implementation of readBlocks for one source.
func slowLines(source, text string, maxLine int) string {
	var out strings.Builder
	in := bufio.NewReader(strings.NewReader(strings.TrimPrefix(text, "\uFEFF")))
	for number := 1; ; number++ {
		line, err := in.ReadString('\n')
		if line == "" && err != nil {
			return out.String()
		}
		if len(line) <= maxLine {
			fmt.Fprintf(&out, "%s:%d %q\n", source, number, line)
			continue
		}
		whole, ended := strings.CutSuffix(line, "\n")
		if ended {
			whole = strings.TrimSuffix(whole, "\r")
		}
		fmt.Fprintf(&out, "%s:%d cut %d %q\n", source, number, len(whole), line[:min(locus.MaxLen, maxLine)])
	}
}

func TestLinesOfFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"a.txt": "one\ntwo\r\n\nfour", "b.gz": zip(t, "five\nsi", "x\n", "", "seven"), "mark.txt": "\uFEFFeight\n", "empty": "", "-": "a file\n",
		"gz.gz": zip(t, zip(t, "nine\n")), "short": "B", "nul": "\x00\x00\n\x00",
		"big": "\xFE\xFF\x00t\x00\n\x00\xE9", "little": "\xFF\xFEt\x00\n\x00", "mark": "\xEF\xBB", "ff": "\xFF", "fffe": "\xFF\xFEab", "feff": "\xFE\xFFa", "short little": "\xFF\xFEa",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	got := readBlocks(t, []string{"a.txt", "b.gz", "missing", "mark.txt", "empty", "-", "./-", "folder", "gz.gz", "short", "nul", "big", "little", "mark", "ff", "fffe", "feff", "short little"}, &Options{Stdin: strings.NewReader(zip(t, "input\n"))}, false)
	want := `a.txt:1 "one\n"
a.txt:2 "two\r\n"
a.txt:3 "\n"
a.txt:4 "four"
b.gz:1 "five\n"
b.gz:2 "six\n"
b.gz:3 "seven"
! "missing": no such file or directory
mark.txt:1 "eight\n"
-:1 "input\n"
./-:1 "a file\n"
! "folder": is a directory: name its files
gz.gz:1 "nine\n"
short:1 "B"
nul:1 "\x00\x00\n"
nul:2 "\x00"
big:1 "t\n"
big:2 "é"
little:1 "t\n"
mark:1 "\xef\xbb"
ff:1 "\xff"
fffe:1 "\xff\xfeab"
feff:1 "\xfe\xffa"
short little:1 "\xff\xfea"
`
	if got != want {
		t.Errorf("%s\nwant:\n%s", got, want)
	}
}

// Blocks must detect all formats of package unpack from the content.
func TestCompressedFiles(t *testing.T) {
	want, err := os.ReadFile("../../document/testdata/links.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{"", ".gz", ".bz2", ".xz", ".zst", ".Z"} {
		name := "../../document/testdata/links.txt" + ext
		if got := readBlocks(t, []string{name}, nil, false); got != slowLines(name, string(want), 2*locus.MaxLen) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add("a\nbb\r\nccc", uint8(16), uint8(4))
	f.Add("\uFEFFaaaaaaaaaaaaaaaa\nb\n", uint8(5), uint8(3))
	f.Add("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\nb", uint8(9), uint8(30))
	f.Add("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\nb", uint8(30), uint8(9))
	f.Add("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\nb", uint8(11), uint8(9))
	f.Add("aaaaaaaaaaaaaaa\n\nb", uint8(14), uint8(3))
	f.Add("a\nbb\r\nccc", uint8(2), uint8(2))
	f.Fuzz(func(t *testing.T, text string, block, maxLine uint8) {
		o := &Options{MaxLine: int(maxLine) + 3, block: int(block) + 1}
		if strings.HasPrefix(text, "\xFF\xFE") || strings.HasPrefix(text, "\xFE\xFF") || len(text) > 3 && text[1:4] == "\x2A\x4D\x18" {
			return // UTF-16, or compressed
		}
		if strings.HasPrefix(text, "\x1F") || strings.HasPrefix(text, "BZ") || strings.HasPrefix(text, "\xFD") || strings.HasPrefix(text, "\x28\xB5") {
			return // it may be compressed
		}
		if Recognize([]byte(text), true) != nil {
			return
		}
		want := slowLines("-", text, o.MaxLine)
		for name, in := range map[string]io.Reader{
			"whole":    strings.NewReader(text),
			"octets":   iotest.OneByteReader(strings.NewReader(text)),
			"with EOF": iotest.DataErrReader(strings.NewReader(text)),
		} {
			o.Stdin = in
			if got := readBlocks(t, []string{"-"}, o, false); got != want {
				t.Errorf("%s: %s\nwant:\n%s", name, got, want)
			}
		}
		file := write(t, "a", text)
		if got := readBlocks(t, []string{file}, o, false); got != slowLines(file, text, o.MaxLine) {
			t.Errorf("file: %s\nwant:\n%s", got, slowLines(file, text, o.MaxLine))
		}
	})
}

// Lines whose lengths are close to the block size and the line limit must be complete or
// truncated.
func TestLongLines(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	const limit = 2 * locus.MaxLen
	for name, text := range map[string]string{
		"limit":            x(limit-1) + "\n" + x(limit) + "\n" + x(limit) + "a\nb",
		"limit at the end": x(limit),
		"more at the end":  "a\n" + x(limit+1),
		"CR":               x(limit-1) + "\r\nb\n",
		"a megabyte":       "a\n" + x(1<<20) + "\nb\n",
		"blocks":           x(3*blockSize) + "\r\nb\n" + x(blockSize-3) + "\nc",
		"NULs":             strings.Repeat("\x00", blockSize+5) + "\n\x00\x00\na\n",
		"block":            strings.Repeat(x(99)+"\n", 2*blockSize/100+1),
		"exact block":      strings.Repeat(x(15)+"\n", blockSize/16),
	} {
		file := write(t, "a", text)
		if got := readBlocks(t, []string{file}, nil, false); got != slowLines(file, text, limit) {
			t.Errorf("%s: %d octets, want %d", name, len(got), len(slowLines(file, text, limit)))
		}
		if got := readBlocks(t, []string{"-"}, &Options{Stdin: strings.NewReader(zip(t, text))}, false); got != slowLines("-", text, limit) {
			t.Errorf("%s from a pipe: %d octets, want %d", name, len(got), len(slowLines("-", text, limit)))
		}
	}
	// A higher line limit must allow larger blocks.
	text := x(3*blockSize) + "\nb\n"
	if got := readBlocks(t, []string{write(t, "a", text)}, &Options{MaxLine: 4 * blockSize}, false); strings.Contains(got, " cut ") {
		t.Errorf("a line below the limit was cut")
	}
}

// Lines from a pipe are yielded as soon as they arrive, and Wait tells the caller when to
// write.
func TestPipeWaits(t *testing.T) {
	for name, packed := range map[string]bool{"plain": false, "gzip": true} {
		in, out := io.Pipe()
		steps := make(chan string)
		go func() {
			defer close(steps)
			for b := range Blocks(t.Context(), []string{"-"}, &Options{Stdin: in}) {
				steps <- show(t, b, true)
				b.Release()
			}
		}()
		expect := func(want string) {
			t.Helper()
			var got strings.Builder
			for got.String() != want {
				select {
				case s, ok := <-steps:
					if got.WriteString(s); !ok || !strings.HasPrefix(want, got.String()) {
						t.Fatalf("%s: %q, want %q", name, got.String(), want)
					}
				case <-time.After(testTimeout):
					t.Fatalf("%s: nothing after %q, want %q", name, got.String(), want)
				}
			}
		}
		var w io.Writer = out
		z := gzip.NewWriter(out)
		flush := func() {}
		if packed {
			w, flush = z, func() { z.Flush() }
		}
		io.WriteString(w, "one\ntwo\nthr")
		flush()
		expect("-:1 \"one\\n\"\n-:2 \"two\\n\"\n...\n")
		io.WriteString(w, "ee\n")
		flush()
		expect("-:3 \"three\\n\"\n...\n")
		io.WriteString(w, "four")
		if packed {
			z.Close()
		}
		out.Close()
		expect("-:4 \"four\"\n")
		if s, ok := <-steps; ok {
			t.Errorf("%s: %q after the end", name, s)
		}
	}
}

func TestInterruptWhileWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	defer out.Close() // ends the pending read
	defer in.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b := range Blocks(ctx, []string{"-"}, &Options{Stdin: in}) {
			if b.Err != nil {
				t.Error(b.Err)
			}
			if b.Wait {
				cancel()
			}
		}
	}()
	io.WriteString(out, "one\n")
	select {
	case <-done:
	case <-time.After(testTimeout):
		t.Fatal("Blocks did not end with its context")
	}
}

// If the caller stops early, no goroutine may remain (see TestMain).
func TestStopEarly(t *testing.T) {
	file := write(t, "a", strings.Repeat("line\n", 3*blockSize/5))
	for range Blocks(t.Context(), []string{file, file}, nil) {
		break
	}
	for range Blocks(t.Context(), []string{"-"}, &Options{Stdin: strings.NewReader("a\n")}) {
		break
	}
}

func TestDamagedGzip(t *testing.T) {
	text := strings.Repeat("http://h.example/\n", 1000)
	packed := zip(t, text)
	for name, c := range map[string]struct{ packed, want string }{
		"cut":      {zip(t, "a\nb\n") + zip(t, "c\nd\n")[:20], "after line 4, near byte 48 of the compressed file: the file is cut"},
		"checksum": {packed[:len(packed)-8] + "\x00\x00\x00\x00" + packed[len(packed)-4:], "after line 1000, near byte"},
		"rubbish":  {packed + "rubbish", "after line 1000, near byte"},
		"header":   {packed[:5], "near byte 5 of the compressed file"},
	} {
		got := readBlocks(t, []string{write(t, "a.gz", c.packed)}, nil, false)
		if _, last, _ := strings.Cut(got, "! "); !strings.Contains(last, c.want) {
			t.Errorf("%s: %q, want %q", name, last, c.want)
		}
		if strings.Count(got, "! ") != 1 || strings.HasPrefix(c.want, "after line 1000") && strings.Count(got, "http://") != 1000 {
			t.Errorf("%s: %d lines: %.1000s", name, strings.Count(got, "\n"), got)
		}
	}
}

// Blocks must omit a line that is incomplete because the file is damaged, because the
// incomplete line could look like another URL.
func TestDamageWithinLine(t *testing.T) {
	packed := zip(t, "one\ntwo\nthr") + "rubbish"
	got := readBlocks(t, []string{"-"}, &Options{Stdin: strings.NewReader(packed)}, false)
	want := "-:1 \"one\\n\"\n-:2 \"two\\n\"\n! standard input: after line 2, near byte 42 of the compressed file: the file is cut: unexpected EOF\n"
	if got != want {
		t.Error(got)
	}
}

func TestReadError(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("one\ntwo"), iotest.ErrReader(io.ErrClosedPipe))
	got := readBlocks(t, []string{"-"}, &Options{Stdin: broken}, false)
	if want := "-:1 \"one\\n\"\n! standard input: after line 1: io: read/write on closed pipe\n"; got != want {
		t.Error(got)
	}
}

// A compressed file that expands to one very long line of zeros must need little memory.
func TestBombTakesNoMemory(t *testing.T) {
	const size = 64 << 20
	in, out := io.Pipe()
	go func() {
		z, _ := gzip.NewWriterLevel(out, gzip.BestSpeed)
		zeros := make([]byte, 1<<20)
		for range size / len(zeros) {
			if _, err := z.Write(zeros); err != nil {
				break
			}
		}
		z.Close()
		out.Close()
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cut := int64(0)
	for b := range Blocks(t.Context(), []string{"-"}, &Options{Stdin: in}) {
		if b.Err != nil {
			t.Fatal(b.Err)
		}
		cut += b.Cut
		b.Release()
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; cut != size || used > 16<<20 {
		t.Errorf("a line of %d octets took %d octets of memory", cut, used)
	}
}

// BenchmarkKey reads lines of JSON and finds a string in each, in one goroutine.
func BenchmarkKey(b *testing.B) {
	line := `{"timestamp":"20260102030405","status":"200","mime":"text/html","digest":"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567","length":"12345","offset":"123456789","filename":"crawl-data/CC-MAIN-2026-01/segments/1700000000000.00/warc/CC-MAIN-20260102030405-00000.warc.gz","url":"https://www.example.com/some/path/page.html?query=value"}` + "\n"
	const size = 64 << 20
	file := write(b, "a", strings.Repeat(line, size/len(line)))
	finder, err := Key("url")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size / len(line) * len(line)))
	for b.Loop() {
		for block := range Blocks(b.Context(), []string{file}, &Options{Finder: finder}) {
			for text := block.Text; len(text) > 0; {
				end := bytes.IndexByte(text, '\n')
				if _, _, err := block.Finder.Find(text[:end]); err != nil {
					b.Fatal(err)
				}
				text = text[end+1:]
			}
			block.Release()
		}
	}
}

// BenchmarkBlocks reads a plain file, without work on its lines.
func BenchmarkBlocks(b *testing.B) {
	const size = 256 << 20
	line := "http://www.example.com/a/path/of/some/length?with=query\n"
	file := write(b, "a", strings.Repeat(line, size/len(line)))
	b.SetBytes(int64(size / len(line) * len(line)))
	for b.Loop() {
		n := 0
		for block := range Blocks(b.Context(), []string{file}, nil) {
			n += len(block.Text)
			block.Release()
		}
		if n < size/2 {
			b.Fatal(n)
		}
	}
}
