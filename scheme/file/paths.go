package file

import (
	"strings"

	"github.com/locus-url/locus"
)

// name returns the filename for the URL f. If windows is true, the filename follows the
// Windows rules. If isRooted is true, the filename is relative to a root directory and
// contains no "..". The argument server is the server name in a UNC path, or empty for a
// file on this machine. If the path ends with "/", directory is true, and the file must
// be a directory.
//
// If a filename on this system cannot contain one of the segments, the error is a
// [*locus.SyntaxError].
func (f URL) name(windows, isRooted bool, server string) (name string, directory bool, err error) {
	segments := f.Segments()
	text, offset := path(f.url)
	unc := server != ""
	for i, written := range strings.Split(text, "/") {
		if reason := refusal(segments[i], windows, isRooted, windows && !isRooted && !unc && i == 0); reason != "" {
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
	case isRooted:
		name = strings.TrimLeft(name, separator)
		if name == "" {
			name = "."
		}
	case !windows:
		name = "/" + name
	case unc && (len(segments) == 0 || segments[0] == ""):
		return "", false, f.url.Errorf(f.url.PathOffset(), "fpath", "%w: the path of another machine begins with the name of a share", locus.ErrValue)
	case unc:
		name = `\\` + server + separator + name
	case len(segments) == 1:
		// "C:" without a separator would mean the current directory of the drive.
		name += separator
	}
	return name, directory, nil
}

// refusal returns the reason why the segment cannot be part of a filename, or "" if it can. The
// caller sets needsDrive if the segment must be the drive of a Windows path.
func refusal(segment string, windows, rooted, needsDrive bool) string {
	switch {
	case strings.IndexByte(segment, 0) >= 0:
		return "a filename cannot contain NUL"
	case strings.Contains(segment, "/"):
		return `a filename cannot contain "/": write the "/" between segments without an escape`
	case rooted && segment == "..":
		return `".." could leave the root directory`
	case needsDrive && !isDrive(segment):
		// With an empty first segment, the path would be \\server\share on another
		// machine.
		return `the path must begin with a drive, "C:"`
	case windows && strings.Contains(segment, `\`):
		return `a filename cannot contain "\"`
	case windows && !needsDrive && strings.Contains(segment, ":"):
		return `a filename cannot contain ":"`
	}
	return ""
}

func isDrive(segment string) bool {
	return len(segment) == 2 && segment[1] == ':' && 'a' <= segment[0]|0x20 && segment[0]|0x20 <= 'z'
}
