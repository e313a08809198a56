package generator

import (
	"cmp"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// For a text with many words, the package stores no large table. Each fragment may then exist.
func TestMentionedIsBounded(t *testing.T) {
	var text strings.Builder
	for i := range maxWords + 2 {
		fmt.Fprintf(&text, "word%d ", i)
	}
	if !mentioned(text.String())("other") {
		t.Error("the words of a large document decide")
	}
	if mentioned("one two")("three") || !mentioned("one two")("two") {
		t.Error("the words of a small document do not decide")
	}
}

// openCounter counts how often each file is opened.
type openCounter struct {
	fs.FS
	opened map[string]int
}

func (c openCounter) Open(name string) (fs.File, error) {
	c.opened[name]++
	return c.FS.Open(name)
}

// A file that many documents include is read only once.
func TestMkDocsIncludesAreReadOnce(t *testing.T) {
	files := openCounter{folder(map[string]string{
		"mkdocs.yml":   "site_name: x\nplugins: [include-markdown]\n",
		"docs/a.md":    "a",
		"docs/part.md": "plain text",
	}), map[string]int{}}
	s, err := Open(t.Context(), files, "mkdocs")
	if err != nil {
		t.Fatal(err)
	}
	clear(files.opened)
	once := 0
	for range 10 {
		if _, open := s.IDs(`{% include-markdown "part.md" %}`); open {
			t.Fatal("an included file without headings makes a page open")
		}
		once = cmp.Or(once, files.opened["docs/part.md"])
	}
	if n := files.opened["docs/part.md"]; n == 0 || n != once {
		t.Errorf("the file was opened %d times, and %d for the first document", n, once)
	}
}
