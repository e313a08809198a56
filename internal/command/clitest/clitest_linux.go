package clitest

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// NewTTY returns the user's end of a terminal, and the name of the program's end.
func NewTTY(t *testing.T) (person *os.File, name string) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals: ", err)
	}
	t.Cleanup(func() { person.Close() })
	fd := int(person.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	return person, fmt.Sprint("/dev/pts/", n)
}

// OpenTTY opens the program's end.
func OpenTTY(name string) func() (*os.File, error) {
	return func() (*os.File, error) { return os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0) }
}

// Until reads the terminal's output up to the text.
func Until(t *testing.T, r *bufio.Reader, text string) string {
	t.Helper()
	var seen strings.Builder
	for !strings.HasSuffix(seen.String(), text) {
		c, err := r.ReadByte()
		if err != nil {
			t.Errorf("%q, then %v", seen.String(), err)
			break
		}
		seen.WriteByte(c)
	}
	return seen.String()
}
