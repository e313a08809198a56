package ftp

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
)

// maxListingLine is the maximum length of a listing line in bytes.
const maxListingLine = 16 << 10

// unknown returns an item with only a name. An empty name means that the parser cannot read
// the line.
func unknown(name string) scheme.Item {
	return scheme.Item{Title: name, Kind: scheme.KindUnknown, Size: -1}
}

// listed reports whether name is not empty, and is neither the directory itself nor its
// parent.
func listed(name string) bool { return name != "" && name != "." && name != ".." }

// parseMLSD parses a line of the reply to MLSD (RFC 3659 section 7.2), which contains facts, a
// space and a name. Some servers send a tab instead of the space. If the line describes the
// directory itself or a parent, ok is false.
func parseMLSD(text string) (e scheme.Item, ok bool) {
	end := strings.IndexAny(text, " \t")
	if end < 0 || end+1 == len(text) {
		return unknown(""), text != ""
	}
	facts, name := text[:end], text[end+1:]
	e = unknown(name)
	perm, hasPerm := "", false
	for fact := range strings.SplitSeq(strings.TrimSuffix(facts, ";"), ";") {
		key, value, _ := strings.Cut(fact, "=")
		switch strings.ToLower(key) {
		case "type":
			switch strings.ToLower(value) {
			case "file":
				e.Kind = scheme.KindObject
			case "dir":
				e.Kind = scheme.KindMenu
			case "cdir", "pdir":
				return scheme.Item{}, false
			}
			if _, target, ok := cutFold(value, "os.unix=slink:"); ok {
				e.Note = "-> " + target
			}
		case "size":
			e.Size = parseSize(value)
		case "modify":
			e.ModTime = parseTimeVal(value)
		case "perm":
			perm, hasPerm = strings.ToLower(value), true
		}
	}
	if e.Kind != scheme.KindObject {
		e.Size = -1
	}
	// By RFC 3659 section 7.5.5, "r" means that the user may send RETR, "e" means CWD, and "l"
	// means LIST.
	if hasPerm && (e.Kind == scheme.KindObject && !strings.Contains(perm, "r") || e.Kind == scheme.KindMenu && !strings.ContainsAny(perm, "el")) {
		e.Note = "not permitted"
	}
	return e, listed(name)
}

func cutFold(text, prefix string) (before, after string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, "", false
	}
	return text[:len(prefix)], text[len(prefix):], true
}

// parseNLST parses a line of the reply to NLST with the argument dir, which may be empty. Many
// servers send the argument and "/" before each name; parseNLST removes this prefix. If the
// line describes the directory itself or its parent, ok is false.
func parseNLST(text, dir string) (e scheme.Item, ok bool) {
	if dir == "" {
		dir = "."
	}
	name := strings.TrimPrefix(text, strings.TrimSuffix(dir, "/")+"/")
	return unknown(name), listed(name)
}

// parseLIST parses a line of the reply to LIST in the formats of Unix, NetWare, DOS and EPLF.
// The current time, now, determines the year of dates without a year. Times are assumed to be
// UTC, because the server's time zone is unknown. An entry without a name means that the
// parser cannot read the line. If the line describes the total, the directory itself or its
// parent, ok is false.
func parseLIST(text string, now time.Time) (e scheme.Item, ok bool) {
	if rest, found := strings.CutPrefix(text, "total "); text == "" || found && octet.All(rest)&octet.Digit != 0 {
		return scheme.Item{}, false
	}
	for _, parse := range []func(string, time.Time) (scheme.Item, bool){parseUnix, parseDOS, parseEPLF} {
		if e, ok := parse(text, now); ok {
			return e, listed(e.Title)
		}
	}
	return unknown(""), true
}

// word is a part of a line that contains no spaces.
type word struct {
	text string
	end  int // offset in the line at which the word ends
}

// words returns the first words in text, up to the number in most.
func words(text string, most int) []word {
	list := make([]word, 0, most)
	for i := 0; i < len(text) && len(list) < most; {
		if text[i] == ' ' {
			i++
			continue
		}
		end := strings.IndexByte(text[i:], ' ')
		if end < 0 {
			end = len(text) - i
		}
		list = append(list, word{text[i : i+end], i + end})
		i += end
	}
	return list
}

// nameAfter returns the name that follows the word w and one space. The name may begin with
// more spaces.
func nameAfter(text string, w word) string {
	if w.end+1 >= len(text) {
		return ""
	}
	return text[w.end+1:]
}

// parseUnix parses a line in the format of "ls -l":
//
//	-rw-r--r--    1 0          0                  11 Nov 20 20:12  lead.txt
//	lrwxrwxrwx    1 0          0                   4 Dec 20  1994 link -> ../x
//	brw-rw---- 1 root disk 8, 0 2020-01-02 15:04 sda
//	- [R----F--] rhesus   214059 Oct 20 15:27    cx.exe
//
// Owner and group may be missing or contain spaces, so the parser searches for a number
// and a date. The last line is in NetWare's format.
func parseUnix(text string, now time.Time) (scheme.Item, bool) {
	netware := len(text) > 12 && (text[0] == '-' || text[0] == 'd') && text[1:3] == " [" && text[11:13] == "] "
	if !netware && (len(text) < 10 || !isFileMode(text[:10])) {
		return scheme.Item{}, false
	}
	list := words(text, 16)
	for i := 2; i+1 < len(list); i++ {
		if octet.All(list[i-1].text)&octet.Digit == 0 {
			continue
		}
		size := parseSize(list[i-1].text) // -1 if the size exceeds int64
		t, used := unixTime(list[i:], now)
		if used == 0 {
			continue
		}
		e := unknown(nameAfter(text, list[i+used-1]))
		if netware {
			e.Title = strings.TrimLeft(e.Title, " ")
		}
		e.ModTime = t
		switch text[0] {
		case '-':
			e.Kind, e.Size = scheme.KindObject, size
		case 'd':
			e.Kind = scheme.KindMenu
		case 'l':
			if name, target, ok := strings.Cut(e.Title, " -> "); ok {
				e.Title, e.Note = name, "-> "+target
			}
		}
		return e, e.Title != ""
	}
	return scheme.Item{}, false
}

// isFileMode reports whether text is like "-rw-r--r--" or "drwxrwsr-t".
func isFileMode(text string) bool {
	return strings.IndexByte("-dlbcpsD", text[0]) >= 0 && strings.Trim(text[1:], "rwxsStTlL-") == ""
}

// unixTime parses the date at the beginning of list. It also returns the number of words in the
// date. If there is no date, this number is 0. Dates look like "Nov 20 20:12", "Dec 20 1994",
// "2020-01-02 15:04" or "20. Nov., 20:12", for example.
func unixTime(list []word, now time.Time) (t time.Time, used int) {
	// The date "Dec 20, 1994 20:12" has four words. In a date without the comma, the fourth
	// word would be the beginning of the name.
	most := min(3, len(list))
	if len(list) > 3 && strings.HasSuffix(list[1].text, ",") {
		most = 4
	}
	for used := most; used > 1; used-- {
		text := ""
		for _, w := range list[:used] {
			text += " " + strings.TrimRight(w.text, ".,")
		}
		for _, f := range dateLayouts[used] {
			t, err := time.Parse(f.layout, text[1:])
			if err != nil {
				continue
			}
			if f.noYear {
				// A layout without a year yields the year 0. This is a leap year, so 29
				// February is valid.
				t = withYear(t, now)
			}
			return t, used
		}
	}
	return time.Time{}, 0
}

type dateLayout struct {
	layout string
	noYear bool
}

// dateLayouts contains date layouts. The index is the number of words in the date.
var dateLayouts = [5][]dateLayout{
	2: {
		{"2006-01-02 15:04", false}, {"2006/01/02 15:04", false}, {"02-01-2006 15:04", false},
		{"01-02 2006", false}, {"01-02 15:04", true},
	},
	3: {{"Jan 2 2006", false}, {"Jan 2 15:04", true}, {"2 Jan 2006", false}, {"2 Jan 15:04", true}},
	4: {{"Jan 2 2006 15:04", false}}, // in a listing, a comma follows the day
}

// withYear sets the year of t to the latest year in which t is at most one day after now. One
// day allows for the server's time zone.
func withYear(t, now time.Time) time.Time {
	for year := now.Year() + 1; year > now.Year()-8; year-- {
		dated := time.Date(year, t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
		if dated.Day() == t.Day() && dated.Before(now.Add(24*time.Hour)) {
			return dated
		}
	}
	return time.Time{}
}

// parseDOS parses a line in the format of DOS and Windows:
//
//	10-23-12  05:03PM       <DIR>          sub
//	12-05-2097  15:04                1234 a file.txt
func parseDOS(text string, _ time.Time) (scheme.Item, bool) {
	list := words(text, 4)
	if len(list) < 4 {
		return scheme.Item{}, false
	}
	stamp := list[0].text + " " + list[1].text
	for _, layout := range []string{"01-02-06 03:04PM", "01-02-2006 03:04PM", "01-02-06 15:04", "01-02-2006 15:04", "2006-01-02 15:04"} {
		t, err := time.Parse(layout, stamp)
		if err != nil {
			continue
		}
		e := unknown(nameAfter(text, list[2]))
		e.ModTime = t
		switch mark := strings.ReplaceAll(list[2].text, ",", ""); {
		case mark == "<DIR>":
			e.Kind, e.Title = scheme.KindMenu, strings.TrimLeft(e.Title, " ")
		case strings.HasPrefix(mark, "<"):
			e.Title = strings.TrimLeft(e.Title, " ")
		case mark == "" || octet.All(mark)&octet.Digit == 0:
			return scheme.Item{}, false
		default:
			e.Kind, e.Size = scheme.KindObject, parseSize(mark)
		}
		return e, true
	}
	return scheme.Item{}, false
}

// parseEPLF parses a line in the "easily parsed LIST format", which contains facts between "+"
// and a tab:
//
//	+i8388621.48594,m825718503,r,s280,<TAB>djb.html
func parseEPLF(text string, _ time.Time) (scheme.Item, bool) {
	facts, name, ok := strings.Cut(text, "\t")
	facts, plus := strings.CutPrefix(facts, "+")
	if !ok || !plus || name == "" {
		return scheme.Item{}, false
	}
	e := unknown(name)
	for fact := range strings.SplitSeq(facts, ",") {
		if fact == "" {
			continue
		}
		switch value := fact[1:]; fact[0] {
		case '/':
			e.Kind = scheme.KindMenu
		case 'r':
			e.Kind = scheme.KindObject
		case 's':
			e.Size = parseSize(value)
		case 'm':
			if n, err := strconv.ParseUint(value, 10, 40); err == nil {
				e.ModTime = time.Unix(int64(n), 0).UTC()
			}
		}
	}
	return e, true
}

// listing reads lines from a data connection. If the first line ends with CR LF, all lines end
// with CR LF, and an LF without CR belongs to a name. Otherwise, lines end with LF.
type listing struct {
	lines    *line.Reader
	begun    bool
	bareLine bool
}

func newListing(r io.Reader) *listing {
	return &listing{lines: line.NewReader(r, maxListingLine)}
}

// next returns the next line. At the end of the listing, the error is io.EOF.
func (l *listing) next() (string, error) {
	var joined []byte
	for {
		text, err := l.lines.Line()
		if errors.Is(err, io.ErrUnexpectedEOF) && len(text) > 0 {
			err = nil // the last line may lack a line ending
		} else if err == nil && !l.begun {
			l.begun, l.bareLine = true, l.lines.Bare()
		} else if err == nil && l.lines.Bare() && !l.bareLine && len(joined) <= maxListingLine {
			joined = append(append(joined, text...), '\n')
			continue
		}
		switch {
		case errors.Is(err, line.ErrLong), err == nil && len(joined) > maxListingLine:
			return "", fmt.Errorf("%w: listing: %w", scheme.ErrProtocol, line.ErrLong)
		case err == io.EOF && len(joined) > 0:
			return string(joined), nil
		case err != nil:
			return "", err
		}
		return string(joined) + string(text), nil
	}
}

// linker is the text of a directory's URL. Its method item appends the name of an entry to
// this text.
type linker string

func newLinker(u URL) linker {
	text := u.u.String()
	base := text[:u.u.PathOffset()]
	if _, ok := u.u.Path(); !ok {
		base += "/"
	}
	base += u.fpath()
	if u.Name() != "" {
		base += "/" // the last name is that of the directory, because the client sent it as the argument of NLST
	}
	return linker(base)
}

func parentLinker(u URL) linker {
	return linker(u.u.String()[:u.u.PathOffset()+int(u.name)])
}

// item sets the URL of an item, and returns the item. The argument text is the line in the
// listing.
func (base linker) item(it scheme.Item, text string) scheme.Item {
	if it.Title == "" {
		it.Title = text
		return it
	}
	if climbs(it.Title) || line.Index(it.Title) >= 0 {
		return it
	}
	link := escape.AppendEncode([]byte(base), it.Title, segmentSet())
	if it.Kind == scheme.KindMenu {
		link = append(link, '/')
	}
	// If the URL is too long, Parse returns the zero URL.
	it.URL, _ = locus.Parse(string(link))
	return it
}

// climbs reports whether a server might interpret name as a path outside the directory.
func climbs(name string) bool {
	for part := range strings.FieldsFuncSeq(name, func(c rune) bool { return c == '/' || c == '\\' }) {
		if part == "." || part == ".." {
			return true
		}
	}
	return !listed(name)
}
