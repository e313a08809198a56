package file

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// FromPath returns the URL of the file or directory at path, an absolute path of
// this system. A separator at the end of a directory's path stays in the URL.
//
//	/home/me/a b.txt          file:///home/me/a%20b.txt
//	C:\Users\me\a b.txt       file:///C:/Users/me/a%20b.txt    (Windows)
//	\\server\share\a b.txt    file://server/share/a%20b.txt    (Windows)
//
// [Path] converts the URL back to the same path, on Windows with "\" for "/". The error
// wraps [locus.ErrValue]: the path is relative (see [path/filepath.Abs]), contains NUL,
// or on Windows has a form without a URL, such as \\?\C:\x, C:x and C:\file:stream.
func FromPath(path string) (locus.URL, error) { return fromPath(path, runtime.GOOS == "windows") }

// Path returns the path of u on this system. It does not read the file system, so the
// file may be missing. The path may contain "." and "..", so the caller must not assume
// that it stays in a directory. On Windows a URL with a host gives \\host\share\file, a
// path on another machine: opening it sends the user's name to that machine.
//
// The error is a [*locus.SyntaxError]: u is not a file URL, u has a fragment, or no path
// of this system can express its host or one of its segments.
func Path(u locus.URL) (string, error) { return toPath(u, runtime.GOOS == "windows") }

func fromPath(path string, windows bool) (locus.URL, error) {
	refuse := func(why string) (locus.URL, error) {
		return locus.URL{}, fmt.Errorf("file: path %s: %w: %s", locus.Quote(path), locus.ErrValue, why)
	}
	var p Parts
	rest, absolute := strings.CutPrefix(path, "/")
	if windows {
		rest = strings.ReplaceAll(path, `\`, "/")
		if absolute = len(rest) > 2 && isDrive(rest[:2]) && rest[2] == '/'; !absolute {
			if rest, absolute = strings.CutPrefix(rest, "//"); absolute {
				p.Host, rest, _ = strings.Cut(rest, "/")
			}
		}
	}
	if !absolute {
		return refuse("not an absolute path of this system")
	}
	p.Segments = strings.Split(rest, "/")
	f, err := p.URL()
	if err != nil {
		return refuse("no URL has this path")
	}
	back, err := toPath(f.url, windows)
	if windows {
		back = strings.ReplaceAll(back, `\`, "/")
		path = strings.ReplaceAll(path, `\`, "/")
	}
	if err != nil || back != path {
		return refuse("no URL converts back to this path")
	}
	return f.url, nil
}

func toPath(u locus.URL, windows bool) (string, error) {
	f, err := Parse(u)
	if err != nil {
		return "", err
	}
	if _, ok := u.Fragment(); ok {
		return "", u.Errorf(len(u.WithoutFragmentText()), "fragmentid", "%w: a path has no fragment", locus.ErrValue)
	}
	server := ""
	if !f.Local() {
		server = f.host
	}
	if server != "" && (!windows || !isServer(server)) {
		return "", u.Errorf(u.HostOffset(), "host", "%w: no path of this system reaches this host", locus.ErrValue)
	}
	name, directory, err := f.name(windows, false, server)
	if err != nil {
		return "", err
	}
	switch {
	case !directory:
	case !windows && len(f.Segments()) > 1: // the path is not the root
		name += "/"
	case windows && !strings.HasSuffix(name, `\`):
		name += `\`
	}
	return name, nil
}

// isServer reports whether host can be the server of a UNC path.
func isServer(host string) bool {
	return strings.Trim(host, ".") != "" && strings.IndexFunc(host, func(r rune) bool {
		return r >= 0x80 || !octet.Is(byte(r), octet.Alpha|octet.Digit) && !strings.ContainsRune("-._$", r)
	}) < 0
}
