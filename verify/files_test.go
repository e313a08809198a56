package verify_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/verify"
)

// texts returns a file system with the given text files.
func texts(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// results formats the bad results as text.
func results(r *verify.Report) (list []string) {
	for i := range r.Results {
		if r.Results[i].Verdict != verify.Alive {
			list = append(list, r.Results[i].String())
		}
	}
	return list
}

func TestFiles(t *testing.T) {
	report, err := verify.Files(texts(map[string]string{
		"a.md": "# Title\n[b](b.md) [gone](none.md) [self](#title) [no](#none) [part](sub/c.html#x) [no part](sub/c.html#y)\n" +
			"[up](../outside.md) [root](/sub/c.html) [folder](sub/) [readme](sub#index) [bad](http://h:99999/) [net](http://example.com/) [mail](mailto:joe@example.com)\n",
		"b.md":              "[a b](<a b.md>) [escaped](a%20b.md) [search](a%20b.md?raw=1) [file as folder](a.md/) [in a file](a.md/b.md) [typo](htpp://h/)\n",
		"a b.md":            "",
		"sub/c.html":        `<p id=x><a href="../a.md#title">up</a> <a href="../../a.md">out</a> <a href="../none">none</a> <a href="file:///etc/hosts">local</a>`,
		"sub/README.md":     "# Index\n",
		".hidden/d.md":      "[gone](none)\n",
		"picture.png":       "\x89PNG\r\n\x1a\n\x00\x00",
		"sub/deep/e/f/g.md": "[up](../../../../a.md) [out](../../../../../a.md)",
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a.md:2:18: none.md: dead: not found",
		"a.md:2:47: #none: fragment: the document has no such fragment",
		"a.md:2:85: sub/c.html#y: fragment: the document has no such fragment",
		"a.md:3:6: ../outside.md: warning: points outside the file system",
		"a.md:3:82: http://h:99999/: ignored: only links to files are verified",
		"a.md:3:105: http://example.com/: ignored: only links to files are verified",
		"a.md:3:133: mailto:joe@example.com: ignored: only links to files are verified",
		"b.md:1:79: a.md/: dead: not found: a file, not a directory",
		"b.md:1:98: a.md/b.md: dead: not found",
		`b.md:1:116: htpp://h/: warning: unknown scheme "htpp"`,
		"sub/c.html:1:49: ../../a.md: warning: points outside the file system",
		"sub/c.html:1:78: ../none: dead: not found",
		"sub/c.html:1:105: file:///etc/hosts: ignored: only links to files are verified",
		"sub/deep/e/f/g.md:1:30: ../../../../../a.md: warning: points outside the file system",
	}
	if got := results(report); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	bad := slices.DeleteFunc(want, func(line string) bool {
		return strings.Contains(line, ": warning:") || strings.Contains(line, ": ignored:")
	})
	if got := report.String(); got != strings.Join(bad, "\n")+"\n" {
		t.Errorf("bad:\n%s", got)
	}
}

// Files uses the network only through the caller's client and its policy, and does not open local
// files.
func TestFilesWithClient(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/there" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{AllowPrivate: true, Files: true})
	if err != nil {
		t.Fatal(err)
	}
	client := access.New(registry, p, nil)
	defer func() {
		client.Close()
		for _, s := range registry.All() {
			if c, ok := s.Access.Opener.(io.Closer); ok { // an unused connection does not end with the server
				c.Close()
			}
		}
	}()
	local := filepath.ToSlash(t.TempDir())
	fsys := texts(map[string]string{"a.md": fmt.Sprintf("[1](%s/there) [2](%[1]s/gone) [3](b.md) [4](file://%s)\n", server.URL, local), "b.md": ""})
	report, err := verify.Files(fsys, &verify.FilesOptions{Client: client, Options: verify.Options{Politeness: access.Politeness{Interval: access.None}}})
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []string
	for _, r := range report.Results {
		verdicts = append(verdicts, r.Verdict.String())
	}
	if got := strings.Join(verdicts, " "); got != "alive dead alive denied" {
		t.Errorf("%s: %v", got, results(report))
	}
}

func TestFilesOfDisk(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.md": "[b](b) [c](c%2Fd) [x](a.md/x)", "b": "", "skip.md": "[x](gone)", "~tilde.md": "[me](~tilde.md) [me](%7Etilde.md)"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	skip := func(name string, _ fs.DirEntry) bool { return name == "skip.md" }
	report, err := verify.Files(os.DirFS(dir), &verify.FilesOptions{Skip: skip})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := report.String(), "a.md:1:12: c%2Fd: dead: not found\na.md:1:23: a.md/x: dead: not found\n"; got != want {
		t.Errorf("%s", got)
	}
}

func TestFilesErrors(t *testing.T) {
	for name, fsys := range map[string]fs.FS{
		"missing": os.DirFS(filepath.Join(t.TempDir(), "none")),
		"empty":   fstest.MapFS{},
		"binary":  texts(map[string]string{"a": "\x00"}),
	} {
		if report, err := verify.Files(fsys, nil); !errors.Is(err, fs.ErrNotExist) || report != nil {
			t.Errorf("%s: %v, %v", name, report, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := verify.Files(texts(map[string]string{"a.md": "[x](y)"}), &verify.FilesOptions{Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	report, err := verify.Files(texts(map[string]string{"a.gz": "\x1f\x8b\x08\x00", "b.md": "x"}), nil)
	if err != nil || len(report.Bad()) != 1 || !strings.Contains(report.String(), "a.gz") {
		t.Errorf("damaged: %v, %v", report, err)
	}
}

// This example verifies the links in a directory, as a test would.
func ExampleFiles() {
	fsys := fstest.MapFS{ // in a test: os.DirFS("docs")
		"index.md": {Data: []byte("# Guide\n\nSee [setup](setup.md#install) and [usage](use.md).\n")},
		"setup.md": {Data: []byte("# Setup\n\n## Installing\n")},
	}
	report, err := verify.Files(fsys, nil)
	if err != nil {
		fmt.Println(err) // in a test: t.Fatal(err)
	}
	for _, link := range report.Bad() {
		fmt.Println(link) // in a test: t.Error(link)
	}
	// Output:
	// index.md:3:13: setup.md#install: fragment: the document has no such fragment
	// index.md:3:43: use.md: dead: not found
}
