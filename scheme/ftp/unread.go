package ftp

import "hash/maphash"

// Limits of what is remembered of a listing. A listing that exceeds either is shown
// as LIST wrote it.
const (
	maxUnreadText = 1 << 20 // bytes of lines
	maxSeenNames  = 1 << 16
)

// unread holds the lines of a reply to LIST that no parser reads, until NLST has
// given the names in them. No standard describes these lines: VMS, NetWare, MVS,
// OS/2 and AS/400 each have their own, and some servers write dates in the words of
// their country. A nil *unread holds nothing.
type unread struct {
	lines []string
	size  int                 // of lines, in bytes
	seen  map[uint64]struct{} // hashes of the names in the other lines
	seed  maphash.Seed
	full  bool
	names bool // the lines to come are those of NLST
	added bool // NLST gave a name that LIST did not
	ready bool // the lines are to be shown
}

// take takes note of an entry and reports whether it is to be shown now.
func (u *unread) take(e Entry, text string) bool {
	switch {
	case u == nil || u.full:
		return true
	case u.seen == nil:
		u.seen, u.seed = make(map[uint64]struct{}), maphash.MakeSeed()
	}
	if e.Name == "" {
		u.lines = append(u.lines, text)
		u.size += len(text)
		u.full = u.size > maxUnreadText
		u.ready = u.full
		return false
	}
	sum := maphash.String(u.seed, e.Name)
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

// wantsNames reports whether NLST is to be sent.
func (u *unread) wantsNames() bool { return u != nil && !u.full && !u.names && len(u.lines) > 0 }

// release has the lines shown, unless NLST gave names in their place.
func (u *unread) release() {
	if u != nil && !u.added {
		u.ready = true
	}
}

// shift returns the next line to be shown.
func (u *unread) shift() (text string, ok bool) {
	if u == nil || !u.ready || len(u.lines) == 0 {
		return "", false
	}
	text, u.lines = u.lines[0], u.lines[1:]
	return text, true
}
