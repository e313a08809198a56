package file

import (
	"strings"

	"github.com/locus-url/locus"
)

// name returns the name of the file that f locates, in the way of Windows or of
// the other systems, and whether it must be a directory because the path ends in
// "/". With rooted the name is relative to a root, and does not lead out of it by
// "..".
//
// The error is a [*locus.SyntaxError]: a segment that no name on this system can
// have.
func (f URL) name(windows, rooted bool) (name string, directory bool, err error) {
	segments := f.Segments()
	text, offset := path(f.url)
	for i, written := range strings.Split(text, "/") {
		if reason := refused(segments[i], i, windows, rooted); reason != "" {
			return "", false, f.url.Errorf(offset, "fsegment", "%w: %s", locus.ErrValue, reason)
		}
		offset += len(written) + 1
	}
	if directory = segments[len(segments)-1] == ""; directory {
		segments = segments[:len(segments)-1]
	}
	separator := "/"
	if windows {
		separator = `\`
	}
	switch name = strings.Join(segments, separator); {
	case rooted:
		name = strings.TrimLeft(name, separator)
		if name == "" {
			name = "."
		}
	case !windows:
		name = "/" + name
	case len(segments) == 1:
		// "C:" alone is wherever that drive's current directory is.
		name += separator
	}
	return name, directory, nil
}

// refused says why segment number i can't be part of a name, or "".
func refused(segment string, i int, windows, rooted bool) string {
	drive := windows && !rooted && i == 0
	switch {
	case strings.IndexByte(segment, 0) >= 0:
		return "no file's name holds a NUL"
	case strings.Contains(segment, "/"):
		return `no file's name holds "/", and a "/" that separates segments is written as it is`
	case rooted && segment == "..":
		return `".." could lead out of the root`
	case drive && !isDrive(segment):
		// An empty one would make \\server\share, which is on another machine.
		return `the path begins with a drive, "C:"`
	case windows && strings.Contains(segment, `\`):
		return `no file's name holds "\"`
	case windows && !drive && strings.Contains(segment, ":"):
		return `no file's name holds ":"`
	}
	return ""
}

// isDrive reports whether segment is a letter and ":".
func isDrive(segment string) bool {
	return len(segment) == 2 && segment[1] == ':' && 'a' <= segment[0]|0x20 && segment[0]|0x20 <= 'z'
}
