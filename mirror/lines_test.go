package mirror

import (
	"errors"
	"maps"
	"os"
	"strings"
	"testing"
)

// openTestLines opens a file of lines that has a text.
func openTestLines(t *testing.T, text string) *lineFile {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	if err := root.WriteFile("lines", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := openLines(root, "lines", os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.file.Close() })
	return l
}

func linesByOffset(l *lineFile) map[int64]string {
	found := map[int64]string{}
	for text, at := range l.lines() {
		found[at] = string(text)
	}
	return found
}

// The lines end before an incomplete or damaged line.
func TestLines(t *testing.T) {
	for text, want := range map[string]map[int64]string{
		"":                            {},
		"1\n":                         {0: "1"},
		"1\n\n22\n":                   {0: "1", 2: "", 3: "22"},
		"1\n22":                       {0: "1"},
		"1\n" + long(maxLine) + "\n2": {0: "1"},
		long(maxLine-1) + "\n2\n":     {0: long(maxLine - 1), maxLine: "2"},
	} {
		if got := linesByOffset(openTestLines(t, text)); !maps.Equal(got, want) {
			t.Errorf("%.20q: %d lines instead of %d", text, len(got), len(want))
		}
	}
}

func long(n int) string { return strings.Repeat("x", n) }

// A line that was appended can be read at once, and by the next process after a flush.
func TestAppendLines(t *testing.T) {
	l := openTestLines(t, "1\n2\nrest of a line")
	if err := l.cut(4); err != nil {
		t.Fatal(err)
	}
	want := map[int64]string{0: "1", 2: "2"}
	for _, value := range []string{"three", "<four>"} {
		at := l.append(value)
		want[at] = `"` + value + `"`
		var got string
		if err := l.read(at, &got); err != nil || got != value {
			t.Errorf("%q, %v", got, err)
		}
	}
	end, seen := l.size, 0
	for range l.lines() {
		if seen++; seen > len(want) {
			break
		}
		l.append("later") // is not among these lines
		if err := l.flush(); err != nil {
			t.Fatal(err)
		}
	}
	if seen != len(want) {
		t.Errorf("%d lines instead of %d", seen, len(want))
	}
	if err := l.cut(end); err != nil {
		t.Fatal(err)
	}
	want[l.append(5)] = "5"
	if got := linesByOffset(l); !maps.Equal(got, want) {
		t.Errorf("%d lines instead of %d", len(got), len(want))
	}
	if err := l.read(3, new(string)); !errors.Is(err, ErrManifest) || !strings.Contains(err.Error(), "offset 3") {
		t.Errorf("a line that is not JSON: %v", err)
	}
}
