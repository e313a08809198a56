package mirror

import (
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"mime"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// Layout selects the names of the files in a mirror.
type Layout string

const (
	// LayoutHost is the default layout. LayoutHost uses HOST/PATH, or HOST+PORT/PATH if the
	// port is not the scheme's default port.
	LayoutHost Layout = "host"
	// LayoutURL includes the scheme, as in SCHEME/HOST/PATH.
	LayoutURL Layout = "url"
	// LayoutFlat puts all files in one directory.
	LayoutFlat Layout = "flat"
	// LayoutType uses a directory for each media type, as in text/html/NAME.
	LayoutType Layout = "type"
)

const (
	// stateFolder is the directory for the mirror's own files.
	stateFolder = ".locus-mirror"
	// menuFile is the name of the file that contains a directory's menu.
	menuFile = ".menu"
	// maxSegment is the maximum length of a file name. With a suffix, the name fits into 255
	// bytes.
	maxSegment = 230
)

// place holds the paths of a resource's files.
type place struct {
	file string // slash-separated path of the file with the bytes of the resource
	page string // path of the HTML page for a menu; empty for objects
}

// placer assigns a file to each URL. A placer stores 16 bytes per name.
type placer struct {
	registry *scheme.Registry
	layout   Layout
	seed     maphash.Seed
	// names contains the used names. A key is a hash that ignores case and Unicode
	// normalization. The value is a hash of the exact name, whose lowest bit is set for a
	// directory.
	names map[uint64]uint64
}

func newPlacer(r *scheme.Registry, layout Layout) *placer {
	return &placer{registry: r, layout: layout, seed: maphash.MakeSeed(), names: map[uint64]uint64{}}
}

// take reserves the file names of a place from an earlier run.
func (p *placer) take(at place) {
	for _, name := range []string{at.file, at.page} {
		if name == "" {
			continue
		}
		for i, c := range name {
			if c == '/' {
				p.claim(name[:i], true)
			}
		}
		p.claim(name, false)
	}
}

// claim reserves name, and reports whether the name was free. The same directory name may be
// claimed again with the same spelling.
func (p *placer) claim(name string, folder bool) bool {
	key := maphash.String(p.seed, norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name)))))
	spelled := maphash.String(p.seed, "="+name) &^ 1
	if folder {
		spelled |= 1
	}
	if taken, ok := p.names[key]; ok {
		return folder && taken == spelled
	}
	p.names[key] = spelled
	return true
}

// place returns a new place for u, which must be in canonical form. On any file system, the
// file names of the place are unique.
func (p *placer) place(u locus.URL, isMenu bool, mediaType string) place {
	dirs, name := p.split(u)
	s := p.registry.Scheme(u)
	listing := s.Traits.Has(scheme.Directories)
	hash := urlHash(u.String())
	ofFolder := isMenu && (listing || path.Ext(name) == "" || name == indexName) // otherwise, the menu becomes a file with this name
	switch p.layout {
	case LayoutFlat, LayoutType:
		if ofFolder && name == indexName {
			if name = "menu"; len(dirs) > 0 {
				name = dirs[len(dirs)-1]
			}
		}
		dirs = nil
		if p.layout == LayoutType {
			dirs = typeFolder(mediaType, name, isMenu)
		}
		name = withHash(name, hash[:8])
		ofFolder = false
	default:
		dirs = slices.Concat(p.hostFolders(u), dirs)
		if ofFolder && name != indexName {
			dirs = append(dirs, name)
		}
	}
	folder := p.folder(dirs)
	if !isMenu {
		return place{file: p.free(folder, name, hash)}
	}
	if !ofFolder {
		file := p.free(folder, name, hash)
		return place{file: file, page: p.free(path.Dir(file), path.Base(file)+".html", hash)}
	}
	page := indexName
	if listing {
		page = menuFile + ".html"
	}
	return place{file: p.free(folder, menuFile, hash), page: p.free(folder, page, hash)}
}

// indexName is the file name for a URL that ends in "/".
const indexName = "index.html"

// folder reserves the directories dirs and returns their path. If a name is already used,
// folder chooses another name.
func (p *placer) folder(dirs []string) string {
	at := ""
	for i, dir := range dirs {
		next := path.Join(at, dir)
		if !p.claim(next, true) {
			hash := urlHash(strings.Join(dirs[:i+1], "/") + "/")
			next = path.Join(at, withHash(dir, hash[:8]))
			for n := 2; !p.claim(next, true); n++ {
				next = path.Join(at, withHash(dir, hash[:8]+strconv.Itoa(n)))
			}
		}
		at = next
	}
	return at
}

// free reserves a name in a directory. If the name is already used, free adds the hash to the
// name.
func (p *placer) free(folder, name, hash string) string {
	file := path.Join(folder, name)
	for n := 8; !p.claim(file, false); n++ {
		file = path.Join(folder, withHash(name, hash[:min(n, len(hash))]+strings.Repeat("x", max(n-len(hash), 0))))
	}
	return file
}

func urlHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x", sum[:16])
}

// withHash inserts a hash before the extension of name.
func withHash(name, hash string) string {
	ext := path.Ext(name)
	if ext == name || len(ext) > 16 {
		ext = ""
	}
	return strings.TrimSuffix(name, ext) + "~" + hash + ext
}

// hostFolders returns the directories for the host of u.
func (p *placer) hostFolders(u locus.URL) []string {
	name := strings.ToLower(u.Host())
	s := p.registry.Scheme(u)
	if user, ok := u.User(); ok && user != "" {
		name = user + "@" + name
	}
	if port, ok := u.Port(); ok && port != s.Port {
		name += "+" + strconv.Itoa(int(port))
	}
	if name == "" {
		name = u.Scheme()
	}
	if name = safeSegment(name); p.layout == LayoutURL {
		return []string{safeSegment(u.Scheme()), name}
	}
	return []string{name}
}

func typeFolder(mediaType, name string, isMenu bool) []string {
	if isMenu {
		return []string{"menu"}
	}
	base, _, err := mime.ParseMediaType(typeOf(mediaType, name))
	major, minor, ok := strings.Cut(base, "/")
	if err != nil || !ok {
		return []string{"application", "octet-stream"}
	}
	return []string{safeSegment(major), safeSegment(minor)}
}

// These are the scheme fields that form a path, and the scheme fields that are appended to the
// last name of the path.
var (
	pathFields   = []string{"cwd", "segments", "newsgroup", "database", "selector", "path", "hsoname", "name", "articleNumber", "messageId", "contentId", "wpath"}
	searchFields = []string{"search", "searchpart", "query"}
)

// split returns the directories and the file name in the path of u, after escaping unsafe
// characters. If the path ends in "/", the file name is indexName.
func (p *placer) split(u locus.URL) (dirs []string, name string) {
	u, _ = locus.Parse(u.WithoutPassword().Shown())
	segments, search := p.segments(u)
	for _, s := range segments[:len(segments)-1] {
		dirs = append(dirs, safeSegment(s))
	}
	last := segments[len(segments)-1]
	switch {
	case last == "" && search == "":
		return dirs, indexName
	case last == "":
		last = indexName
	}
	if search != "" {
		last += "?" + search
	}
	return dirs, safeSegment(last)
}

func (p *placer) segments(u locus.URL) (segments []string, search string) {
	fields, err := p.registry.Fields(u)
	if err != nil {
		fields = nil
	}
	byPath := p.registry.Hierarchy(u) == relative.Path
	for _, f := range fields {
		isPath, isSearch := slices.Contains(pathFields, f.Name), slices.Contains(searchFields, f.Name)
		switch v := f.Value.(type) {
		case []string:
			if isPath {
				segments = append(segments, v...)
			}
		case int:
			if isPath {
				segments = append(segments, strconv.Itoa(v))
			}
		case string:
			switch {
			case isPath && byPath && f.Name == "name":
				segments = append(segments, v) // the "/" in v was escaped in the URL
			case isPath:
				segments = append(segments, strings.Split(strings.TrimLeft(v, "/"), "/")...)
			case isSearch:
				search += v
			}
		}
	}
	if len(segments) == 0 {
		segments = []string{transfer.Name(p.registry, u)}
	}
	const most = 100
	if len(segments) > most {
		segments = append(segments[:most-1:most-1], strings.Join(segments[most-1:], "/"))
	}
	return segments, search
}

// safeSegment returns a file name that is valid on any system. safeSegment escapes all
// characters that a system rejects or interprets. safeSegment also escapes "%", so that
// different names stay different.
func safeSegment(octets string) string {
	if octets == "" {
		return "%"
	}
	var b strings.Builder
	for i := 0; i < len(octets); {
		r, n := utf8.DecodeRuneInString(octets[i:])
		if mustEscape(octets, i, r, n) {
			for _, c := range []byte(octets[i : i+n]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(octets[i : i+n])
		}
		i += n
	}
	name := b.String()
	if isDevice(name) {
		name = fmt.Sprintf("%%%02X%s", name[0], name[1:])
	}
	return shortened(name)
}

func mustEscape(text string, i int, r rune, n int) bool {
	last := i+n == len(text)
	switch {
	case r == utf8.RuneError && n == 1, r < ' ', r == 0x7F:
		return true
	case strings.ContainsRune(`"*:<>?|\/%`, r):
		return true
	case r == '.':
		return last || i == 0 && isOwn(text)
	case r == ' ':
		return last || i == 0
	case r < utf8.RuneSelf:
		return i == 0 && r == '-'
	}
	// Escape characters that are invisible or change the text direction.
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Z, r) || unicode.Is(unicode.Cf, r)
}

// isOwn reports whether the mirror uses the name for its own files, ignoring case.
func isOwn(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, stateFolder) || strings.HasPrefix(lower, menuFile)
}

// isDevice reports whether name without its extension is a device name on Windows.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	return stem != "" && transfer.SafeName(stem) == "_"+stem
}

// shortened returns name. If name is too long, shortened replaces the middle with a hash.
func shortened(name string) string {
	if len(name) <= maxSegment {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > 16 {
		ext = ""
	}
	tail := "~" + urlHash(name)[:16] + ext
	head := name[:maxSegment-len(tail)]
	for !utf8.ValidString(head) {
		head = head[:len(head)-1]
	}
	if i := strings.LastIndexByte(head, '%'); i > len(head)-3 {
		head = head[:i]
	}
	return head + tail
}
