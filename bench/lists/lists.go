// Package lists creates lists of URLs for benchmarks. The lists contain real URLs from the disk of
// this machine, and generated URLs. The lists depend only on the disk and the seed.
package lists

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// List is a list of URLs that every parser accepts.
type List struct {
	Name string
	What string // short description
	URLs []string
}

// Octets returns the average length of the URLs in bytes.
func (l List) Octets() float64 {
	n := 0
	for _, s := range l.URLs {
		n += len(s)
	}
	return float64(n) / float64(max(len(l.URLs), 1))
}

// Most is the maximum number of URLs in a list.
const Most = 100_000

// All creates all lists. It omits lists that contain fewer than 100 URLs.
func All() []List {
	goroot := GoRoot()
	docs := inFiles("/usr/share/doc")
	lists := []List{
		{"go", "the URLs in the Go distribution, in their order", inFiles(goroot)},
		{"doc", "the URLs in /usr/share/doc, in their order", docs},
		{"doc-mixed", "the same URLs without duplicates, in random order", mixed(docs)},
		{"file", "file: URLs of files on this disk", ofFiles(goroot, "/usr/share")},
		{"web", "generated http: and https: URLs with long paths and searches", Web(1738, Most)},
		{"ten", "generated URLs of the ten schemes of RFC 1738", Ten(1738, Most/5)},
	}
	for i := range lists {
		lists[i].URLs = accepted(lists[i].URLs)
	}
	return slices.DeleteFunc(lists, func(l List) bool { return len(l.URLs) < 100 })
}

// GoRoot returns the directory of the Go distribution.
func GoRoot() string {
	out, _ := exec.Command("go", "env", "GOROOT").Output() // if the command fails, the list stays empty
	return strings.TrimSpace(string(out))
}

// accepted returns at most Most texts that both locus and net/url accept, so that benchmarks do
// not measure errors. The texts are contiguous parts of one string, like the lines in a file,
// because separate allocations would be scattered in memory.
func accepted(texts []string) []string {
	var lines strings.Builder
	var ends []int
	for _, s := range texts {
		_, err := locus.Parse(s)
		_, netErr := url.Parse(s)
		if err == nil && netErr == nil && len(ends) < Most {
			lines.WriteString(s)
			ends = append(ends, lines.Len())
			lines.WriteByte('\n')
		}
	}
	list, text, start := make([]string, len(ends)), lines.String(), 0
	for i, end := range ends {
		list[i], start = text[start:end], end+1
	}
	return list
}

func mixed(texts []string) []string {
	list := slices.Compact(slices.Sorted(slices.Values(texts)))
	r := rand.New(rand.NewPCG(1738, 1))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// Walk calls the function f with the name of every regular file under dir, until f returns false.
// Walk skips directories that it can't read.
func Walk(dir string, f func(name string) (more bool)) {
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !f(name) {
			return fs.SkipAll
		}
		return nil
	})
}

func inFiles(dir string) (list []string) {
	Walk(dir, func(name string) bool {
		list = appendURLs(list, Text(name))
		return len(list) < 2*Most
	})
	return list
}

// Text returns the content of a file. If the file name ends in ".gz", it decompresses the content.
// It returns nil if the file is not text or can't be read.
func Text(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil
		}
	}
	text, err := io.ReadAll(io.LimitReader(r, 4<<20))
	if err != nil || bytes.IndexByte(text[:min(len(text), 8<<10)], 0) >= 0 {
		return nil
	}
	return text
}

// appendURLs appends the URLs in the text to the list. It does not use package extract, so that
// the lists do not depend on that package.
func appendURLs(list []string, text []byte) []string {
	const schemes = " http https ftp file gopher news nntp wais telnet prospero "
	isLetter := func(c byte) bool { return 'a' <= c && c <= 'z' }
	for {
		i := bytes.Index(text, []byte("://"))
		if i < 0 {
			return list
		}
		start, end := i, i+3
		for start > 0 && isLetter(text[start-1]) {
			start--
		}
		for end < len(text) && text[end] > ' ' && text[end] < 0x7F && !strings.ContainsRune("\"'<>()[]{}|\\^`", rune(text[end])) {
			end++
		}
		found := strings.TrimRight(string(text[start:end]), ".,;:!?*_")
		if strings.Contains(schemes, " "+string(text[start:i])+" ") && len(found) > i+3-start {
			list = append(list, found)
		}
		text = text[end:]
	}
}

func ofFiles(dirs ...string) (list []string) {
	keep := escape.Fsegment().With("/")
	for _, dir := range dirs {
		Walk(dir, func(name string) bool {
			list = append(list, "file://"+escape.Encode(filepath.ToSlash(name), keep))
			return len(list) < Most
		})
	}
	return list
}
