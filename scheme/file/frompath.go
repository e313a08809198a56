package file

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// FromPath returns the URL of a file or directory. The argument path must be an absolute path of
// this system. If the path ends with a separator, the URL ends with "/".
//
//	/home/me/a b.txt          file:///home/me/a%20b.txt
//	C:\Users\me\a b.txt       file:///C:/Users/me/a%20b.txt    (Windows)
//	\\server\share\a b.txt    file://server/share/a%20b.txt    (Windows)
//
// [Path] converts the URL back to the same path, except that on Windows each "/" becomes "\". The
// error wraps [locus.ErrValue]. FromPath returns an error if the path is relative (see
// [path/filepath.Abs]) or contains NUL. On Windows, it also returns an error for forms without a
// URL, such as \\?\C:\x, C:x and C:\file:stream.
func FromPath(path string) (locus.URL, error) { return fromPath(path, runtime.GOOS == "windows") }

// Path returns the path of the file URL u on this system. It does not read the file system, so the
// file may be missing. The path may contain "." and "..", so the caller must not assume that the
// path is inside a certain directory. On Windows, the result for a URL with a host is
// \\host\share\file, a path on another machine. Opening such a path sends the user's name to that
// machine.
//
// Path returns a [*locus.SyntaxError] if u is not a file URL, has a fragment, or contains a host
// or segment that a path of this system cannot express.
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

// isServer reports whether host can be the server name in a UNC path.
func isServer(host string) bool {
	return strings.Trim(host, ".") != "" && strings.IndexFunc(host, func(r rune) bool {
		return r >= 0x80 || !octet.Is(byte(r), octet.Alpha|octet.Digit) && !strings.ContainsRune("-._$", r)
	}) < 0
}
