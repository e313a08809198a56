package clitest

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// NewTTY creates a pseudoterminal. It returns the end at which a user would type, and the file
// name of the end that the program opens.
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

// OpenTTY returns a function that opens the terminal with the given file name.
func OpenTTY(name string) func() (*os.File, error) {
	return func() (*os.File, error) { return os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0) }
}

// Until reads the output of the terminal up to the given text.
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
