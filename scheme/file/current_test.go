package file_test

import (
	"testing"

	"github.com/locus-url/locus/scheme/file"
	"github.com/locus-url/locus/scheme/internal/current/currenttest"
)

func TestCurrent(t *testing.T) {
	currenttest.Examples(t, file.Scheme(nil), []currenttest.Example{
		{"RFC 8089 B", "file:///path/to/file", "", "file:///path/to/file"},
		{"RFC 8089 B", "file:/path/to/file", "", "file:///path/to/file"},
		{"RFC 8089 B", "file://host.example.com/path/to/file", "", "file://host.example.com/path/to/file"},
		{"RFC 8089 E.2", "file:c:/path/to/file", "path@5, drive-letter@5!", ""},
		{"RFC 8089 E.2", "file:///c:/path/to/file", "drive-letter@8!", "file:///c:/path/to/file"},
		{"RFC 8089 E.2.1", "file:///c:/path/to/file.txt", "drive-letter@8!", ""},
		{"RFC 8089 E.2.1", "file:///c:/foo.txt", "drive-letter@8!", ""},
		{"RFC 8089 E.2.2", "file:///c|/path/to/file", "drive-letter@8!, character@9", ""},
		{"RFC 8089 E.2.2", "file:/c|/path/to/file", "drive-letter@6!, character@7", ""},
		{"RFC 8089 E.2.2", "file:c|/path/to/file", "path@5, drive-letter@5!, character@6", ""},
		{"RFC 8089 E.3.1", "file://host.example.com/Share/path/to/file.txt", "", ""},
		{"RFC 8089 E.3.2", "file:////host.example.com/path/to/file", "unc@7", ""},
		{"RFC 8089 E.3.2", "file://///host.example.com/path/to/file", "unc@7", ""},
		{"RFC 1738 3.10", "file://vms.host.edu/disk$user/my/notes/note12345.txt", "", ""},

		{"", "file://localhost/a", "", "file:///a"},
		{"", "FILE://LOCALHOST/a%7e#f", "", "file:///a~#f"},
		{"", "file:/a/../b", "", "file:///b"},
		{"", "file:/", "", "file:///"},
		{"", "file:///.//b", "", "file:///.//b"},
		{"", "file://h//b", "path@8", ""},
		{"", "file:", "path@5", ""},
		{"", "file://", "path@7", ""},
		{"", "file://h", "path@8", ""},
		{"", "file:a", "path@5", ""},
		{"", "file:///a?b", "query@9", ""},
		{"", "file://me@h/a", "userinfo@9", ""},
		{"", "file://me:secret@h/a", "password@9!, userinfo@16", ""},
		{"", "file://h:21/a", "port@8", ""},
		{"", "file://h:/a", "port@8", ""},
		{"", "file:///a%00b", "nul@9?", ""},
		{"", `file:///c:\a`, "character@10", ""},
		{"", "file://h/c:/a", "", ""},
	})
}

func TestCurrentReference(t *testing.T) {
	currenttest.Reference(t, file.Scheme(nil), "(?://"+currenttest.RegName+")?"+currenttest.PathAbsolute+currenttest.Fragment,
		"file:///path/to/file", "file:/path/to/file", "file://localhost/a", "file://host.example.com/c:/b#c")
}

func FuzzCurrent(f *testing.F) {
	currenttest.Fuzz(f, file.Scheme(nil), "file:///a/../b", "file:c|/a", "file:////h/a", "file://u:p@h:1/a?b#c", "file:/.//a", "file://localhost//a", "file:///%00")
}
