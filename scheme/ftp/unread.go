package ftp

import (
	"hash/maphash"

	"github.com/locus-url/locus/scheme"
)

// Limits for the lines that unread buffers. If a listing exceeds a limit, it is shown as
// LIST wrote it.
const (
	maxUnreadText = 1 << 20 // total length of the lines in bytes
	maxSeenNames  = 1 << 16
)

// unread buffers those lines of a reply to LIST that no parser can read, until NLST returns
// the names in these lines. VMS, NetWare, MVS, OS/2 and AS/400 use their own formats, and
// some servers write dates in the local language. A nil *unread buffers nothing.
type unread struct {
	lines []string
	size  int                 // total length of lines in bytes
	seen  map[uint64]struct{} // hashes of the names in the lines that a parser could read
	seed  maphash.Seed
	full  bool
	names bool // the following lines come from NLST
	added bool // NLST returned a name that was not in the reply to LIST
	ready bool // the lines can be shown
}

// take records an entry and reports whether it can be shown now.
func (u *unread) take(e scheme.Item, text string) bool {
	switch {
	case u == nil || u.full:
		return true
	case u.seen == nil:
		u.seen, u.seed = make(map[uint64]struct{}), maphash.MakeSeed()
	}
	if e.Title == "" {
		u.lines = append(u.lines, text)
		u.size += len(text)
		u.full = u.size > maxUnreadText
		u.ready = u.full
		return false
	}
	sum := maphash.String(u.seed, e.Title)
	if u.names {
		_, known := u.seen[sum]
		u.added = u.added || !known
		return !known
	}
	u.seen[sum] = struct{}{}
	u.full = len(u.seen) > maxSeenNames
	u.ready = u.full
	return true
}

// wantsNames reports whether the client needs the names from NLST.
func (u *unread) wantsNames() bool { return u != nil && !u.full && !u.names && len(u.lines) > 0 }

// release allows the lines to be shown, unless NLST returned the names in them.
func (u *unread) release() {
	if u != nil && !u.added {
		u.ready = true
	}
}

// shift removes and returns the next line that can be shown.
func (u *unread) shift() (text string, ok bool) {
	if u == nil || !u.ready || len(u.lines) == 0 {
		return "", false
	}
	text, u.lines = u.lines[0], u.lines[1:]
	return text, true
}
