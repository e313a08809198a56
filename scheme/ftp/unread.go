package ftp

import (
	"hash/maphash"

	"github.com/locus-url/locus/scheme"
)

// These constants limit the data that unread buffers. If a listing exceeds a limit, the menu
// contains the unread lines as text.
const (
	maxUnreadText = 1 << 20 // total length of the lines in bytes
	maxSeenNames  = 1 << 16
)

// unread buffers the lines of a reply to LIST that no parser can read, until the client has
// requested the names with NLST. Such lines come from VMS, NetWare, MVS, OS/2 and AS/400,
// which use their own formats, and from servers that write dates in the local language. A nil
// *unread buffers nothing.
type unread struct {
	lines []string
	size  int                 // total length of lines in bytes
	seen  map[uint64]struct{} // hashes of the names in lines that a parser could read
	seed  maphash.Seed
	full  bool
	names bool // the following lines come from NLST
	added bool // NLST returned a name that was not in the reply to LIST
	ready bool // the menu may yield the lines
}

// take records an entry, and reports whether the menu may yield the entry now.
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

// wantsNames reports whether the client should request the names with NLST.
func (u *unread) wantsNames() bool { return u != nil && !u.full && !u.names && len(u.lines) > 0 }

// release allows the menu to yield the buffered lines, unless NLST returned the names in these
// lines.
func (u *unread) release() {
	if u != nil && !u.added {
		u.ready = true
	}
}

// shift removes and returns the next line that the menu may yield.
func (u *unread) shift() (text string, ok bool) {
	if u == nil || !u.ready || len(u.lines) == 0 {
		return "", false
	}
	text, u.lines = u.lines[0], u.lines[1:]
	return text, true
}
