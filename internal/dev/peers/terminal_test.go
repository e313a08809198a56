package peers

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

const (
	rows    = 24
	columns = 80
)

// terminal is a simulated VT100 terminal on which a program runs.
type terminal struct {
	keys *os.File

	mu      sync.Mutex // guards screen
	screen  screen
	changed chan struct{} // signals that the screen has changed
	ended   chan struct{} // closed when the program has closed the terminal
}

// onTerminal starts a program on a terminal. The program is stopped at the end of the test.
func onTerminal(t testing.TB, home, name string, args ...string) *terminal {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = []string{"TERM=vt100", "HOME=" + home, "PATH=" + os.Getenv("PATH")}
	cmd.Dir = home
	keys, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: columns})
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{keys: keys, screen: newScreen(), changed: make(chan struct{}, 1), ended: make(chan struct{})}
	go x.read()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		keys.Close()
		<-x.ended
	})
	return x
}

func (x *terminal) read() {
	defer close(x.ended)
	octets := make([]byte, 4096)
	for {
		n, err := x.keys.Read(octets)
		x.mu.Lock()
		x.screen.write(octets[:n])
		x.mu.Unlock()
		select {
		case x.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.text()
}

// press sends keys to the program.
func (x *terminal) press(t testing.TB, keys string) {
	t.Helper()
	if _, err := x.keys.WriteString(keys); err != nil {
		t.Fatalf("%q: %v\n%s", keys, err, x.text())
	}
}

// shows reports whether the screen contains all of the words.
func (x *terminal) shows(words []string) bool {
	text := x.text()
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// wait waits until the screen shows each of the words.
func (x *terminal) wait(t testing.TB, words ...string) {
	t.Helper()
	late := time.After(maxSession)
	for why := ""; !x.shows(words); {
		if why != "" {
			t.Fatalf("%s, and the screen does not show %q:\n%s", why, words, x.text())
		}
		select {
		case <-x.changed:
		case <-x.ended:
			why = "the program has ended"
		case <-late:
			why = "it is late"
		}
	}
}

// screen is the screen of a VT100 terminal. Programs write only the changed parts of the screen,
// so removing the escape sequences from the output would not give the text.
type screen struct {
	cells    [rows][columns]byte
	row, col int
	cut      []byte // an incomplete escape sequence
}

func newScreen() (s screen) {
	s.erase(0, rows*columns)
	return s
}

// erase clears the cells from one index up to another. Indexes count cells from the top left
// corner.
func (s *screen) erase(from, to int) {
	for i := from; i < to; i++ {
		s.cells[i/columns][i%columns] = ' '
	}
}

// sequence matches VT100 escape sequences. The first two groups are the numbers and the letter
// of a sequence that this test handles.
var sequence = regexp.MustCompile(`^\x1b(?:\[[?]?([0-9;]*)([A-Za-z])|[()#].|[^[()#])`)

func (s *screen) write(octets []byte) {
	octets = slices.Concat(s.cut, octets)
	s.cut = nil
	for len(octets) > 0 {
		if octets[0] != '\x1b' {
			s.put(octets[0])
			octets = octets[1:]
			continue
		}
		m := sequence.FindSubmatch(octets)
		if m == nil {
			s.cut = octets
			return
		}
		if len(m[2]) > 0 {
			s.obey(m[2][0], m[1])
		}
		octets = octets[len(m[0]):]
	}
}

func (s *screen) put(octet byte) {
	switch {
	case octet == '\r':
		s.col = 0
	case octet == '\n':
		s.moveTo(s.row+1, s.col)
	case octet == '\b':
		s.moveTo(s.row, s.col-1)
	case octet == '\t':
		s.moveTo(s.row, s.col+8-s.col%8)
	case octet >= ' ' && s.col < columns:
		s.cells[s.row][s.col] = octet
		s.col++
	}
}

func (s *screen) moveTo(row, col int) {
	s.row = max(0, min(row, rows-1))
	s.col = max(0, min(col, columns-1))
}

// obey executes an escape sequence with the given letter and numbers.
func (s *screen) obey(letter byte, numbers []byte) {
	var n [2]int
	for i, digits := range bytes.Split(numbers, []byte(";")) {
		if i < len(n) {
			n[i], _ = strconv.Atoi(string(digits))
		}
	}
	here, line := s.row*columns+s.col, s.row*columns
	switch letter {
	case 'H', 'f':
		s.moveTo(n[0]-1, n[1]-1)
	case 'A':
		s.moveTo(s.row-max(n[0], 1), s.col)
	case 'B':
		s.moveTo(s.row+max(n[0], 1), s.col)
	case 'C':
		s.moveTo(s.row, s.col+max(n[0], 1))
	case 'D':
		s.moveTo(s.row, s.col-max(n[0], 1))
	case 'J':
		s.erase(choose(n[0], here, 0, 0), choose(n[0], rows*columns, here+1, rows*columns))
	case 'K':
		s.erase(choose(n[0], here, line, line), choose(n[0], line+columns, here+1, line+columns))
	}
}

// choose returns element n of three, or the last element if n is too large.
func choose(n int, three ...int) int { return three[min(n, 2)] }

// text returns the lines without trailing blanks.
func (s *screen) text() string {
	var b strings.Builder
	for _, row := range s.cells {
		b.WriteString(strings.TrimRight(string(row[:]), " ") + "\n")
	}
	return b.String()
}

func TestScreen(t *testing.T) {
	s := newScreen()
	for _, octet := range []byte("\x1b[2J\x1b[1;1Hhello\r\nworld\x1b[2;1Hw\x1b[1C\x1b[7mR\x1b[m\x1b(B\x1b[1;3H\x1b[K\x1b[3;5Hx\b\by\tz\x1b[24;80Hab\n\x1b[0;0HH") {
		s.write([]byte{octet})
	}
	want := "He\nwoRld\n   yx   z\n"
	if got := s.text(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, strings.Repeat(" ", columns-1)+"a\n") {
		t.Errorf("got\n%s", got)
	}
	s.write([]byte("\x1b[1;2H\x1b[1K\x1b[2;3H\x1b[1J\x1b[3;1H\x1b[J"))
	if got := s.text(); !strings.HasPrefix(got, "\n   ld\n\n") {
		t.Errorf("got\n%s", got)
	}
	s.write([]byte("\x1b[2J"))
	if got := strings.TrimSpace(s.text()); got != "" {
		t.Errorf("got\n%s", got)
	}
}
