// # Reading
//
// A [Store] is a set of WARC and ARC files. Locus or another program may have written the files,
// with or without compression. A Store is a [scheme.Opener] for URLs of every scheme that does not
// use the network: see access.Options.Archive. An archive may contain several records for one URL.
// Each record is a [Memento] (RFC 7089).
//
// A Store compares URLs in the canonical form of their scheme, without password and fragment, and
// treats https like http, as other archives do. If the scheme rejects a URL, the Store compares the
// URL as written.
//
// A Store reads records of the types response, resource and revisit. It combines a revisit record
// with the record to which the revisit record refers, by URL and date or by the digest of the
// payload. A Store parses archived menus of gopher, FTP, news, WAIS and Prospero: see
// scheme.Access.Archived.
//
// The index of a Store is a sorted file, which is temporary or in the directory [Options.Cache]. If
// a suitable CDXJ file exists, the Store does not read the archive to make the index. The CDXJ file
// must list the archive, must not be older than the archive, and must be next to the archive or in
// the opened directory. The Store reads all other archives. The memory usage does not depend on the
// size of the archives.
package archive

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/filelock"
	"github.com/locus-url/locus/internal/wholefile"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/warc"
)

// Options configures [Open]. The zero Options selects the defaults.
type Options struct {
	// Cache is the directory that stores the index for the next call of Open. If Cache is
	// empty, the index is temporary.
	Cache string
	// At is the default time for [Store.Open] and [Store.Nearest]. The zero Time selects
	// the last memento.
	At time.Time
	// Note, if not nil, is called during indexing for each unreadable part of an archive.
	Note func(err error)
	// Progress, if not nil, is called during indexing. The parameter read is the number of
	// bytes that were read so far, and size is the total size of all archives.
	Progress func(read, size int64)
}

// Store gives access to the resources in archives. It may be used concurrently.
type Store struct {
	registry  *scheme.Registry
	options   Options
	files     []archiveFile
	index     *index
	temporary io.Closer // file with a temporary index; may be nil

	mu     sync.Mutex
	closed bool
}

// archiveFile is a file in a store.
type archiveFile struct {
	path     string
	size     int64
	modified time.Time
}

// extensions holds the file name extensions of archives.
var extensions = []string{".warc", ".warc.gz", ".arc", ".arc.gz"}

// ErrNoArchive is the error for a directory without archives.
var ErrNoArchive = errors.New("no .warc, .warc.gz, .arc or .arc.gz file")

// Open opens archives. Each path is an archive file, or a directory with archives. If there is no
// index for these archives, Open reads the archives to make the index. If ctx ends meanwhile, Open
// returns an error. The registry r must contain the schemes of the URLs. The options o may be nil.
func Open(ctx context.Context, r *scheme.Registry, paths []string, o *Options) (*Store, error) {
	s := &Store{registry: r}
	if o != nil {
		s.options = *o
	}
	var lists []list
	for _, path := range paths {
		files, cdx, err := archivesAt(path)
		if err != nil {
			return nil, fmt.Errorf("archive: %w", err)
		}
		s.files, lists = append(s.files, files...), append(lists, cdx...)
	}
	slices.SortFunc(s.files, func(a, b archiveFile) int { return cmp.Compare(a.path, b.path) })
	s.files = slices.CompactFunc(s.files, func(a, b archiveFile) bool { return a.path == b.path })
	slices.SortFunc(lists, func(a, b list) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.root, b.root)) })
	if err := s.openIndex(ctx, slices.Compact(lists)); err != nil {
		s.Close()
		return nil, fmt.Errorf("archive: %w", err)
	}
	return s, nil
}

// Close closes the index. Resources that are open stay open.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.temporary != nil {
		return s.temporary.Close()
	}
	if s.index != nil {
		return s.index.file.Close()
	}
	return nil
}

// Files returns the number of archives.
func (s *Store) Files() int { return len(s.files) }

// list identifies a CDXJ file by its path. The file may name archives in and below the
// directory root.
type list struct{ path, root string }

// archivesAt returns the archive at path and the CDXJ files in the same directory. If path is a
// directory, archivesAt returns all archives and CDXJ files in and below this directory.
func archivesAt(path string) (files []archiveFile, lists []list, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		beside, _ := filepath.Glob(escapeGlob(filepath.Dir(path)) + string(filepath.Separator) + "*.cdxj")
		for _, name := range beside {
			lists = append(lists, list{name, filepath.Dir(path)})
		}
		return []archiveFile{{path, info.Size(), info.ModTime()}}, lists, nil
	}
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case strings.HasSuffix(name, ".cdxj") && d.Type().IsRegular():
			lists = append(lists, list{name, path})
			return nil
		case !slices.ContainsFunc(extensions, func(end string) bool { return strings.HasSuffix(strings.ToLower(name), end) }):
			return nil
		}
		// A symbolic link counts as its target.
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		files = append(files, archiveFile{name, info.Size(), info.ModTime()})
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: %w", path, ErrNoArchive)
	}
	return files, lists, err
}

// escapeGlob returns a pattern that matches only the given text.
func escapeGlob(text string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(text)
}

// head returns the first line of the index, which identifies the archives.
func (s *Store) head(lists []list) string {
	h := sha256.New()
	for _, f := range s.files {
		fmt.Fprintf(h, "%q %d %d\n", f.path, f.size, f.modified.UnixNano())
	}
	for _, l := range lists {
		if info, err := os.Stat(l.path); err == nil {
			fmt.Fprintf(h, "%q %q %d %d\n", l.path, l.root, info.Size(), info.ModTime().UnixNano())
		}
	}
	for _, row := range s.registry.All() {
		fmt.Fprintln(h, row.Name)
	}
	return fmt.Sprintf("locus archive index 2 %x\n", h.Sum(nil))
}

// indexName returns the name of the index in the cache. The name does not depend on the
// archives' content, so a new index replaces an outdated index.
func (s *Store) indexName() string {
	h := sha256.New()
	for _, f := range s.files {
		fmt.Fprintf(h, "%q\n", f.path)
	}
	return fmt.Sprintf("%.16x.idx", h.Sum(nil))
}

// openIndex opens the cached index, or creates a new index.
func (s *Store) openIndex(ctx context.Context, lists []list) error {
	head := s.head(lists)
	name := ""
	if s.options.Cache != "" {
		name = filepath.Join(s.options.Cache, s.indexName())
		if f, err := os.Open(name); err == nil {
			if s.index, err = openIndex(f, head); err == nil {
				return nil
			}
			f.Close()
		}
		if err := os.MkdirAll(s.options.Cache, 0o700); err != nil {
			return err
		}
	}
	if name != "" {
		if made, err := s.createIndex(ctx, name, head, lists); made || err != nil {
			return err
		}
	}
	f, err := wholefile.CreateTemporary(s.options.Cache, "locus-index-*")
	if err != nil {
		return err
	}
	s.temporary = f
	if err := s.makeIndex(ctx, f.File, head, lists); err != nil {
		return err
	}
	s.index, err = openIndex(f.File, head)
	return err
}

// createIndex creates the index file with the given name. If another process is creating this
// file, if the file system does not support locks, or if the rename fails, created is false. A
// killed process leaves two files, which the next process overwrites.
func (s *Store) createIndex(ctx context.Context, name, head string, lists []list) (created bool, err error) {
	lock, err := os.OpenFile(name+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	defer lock.Close()
	if filelock.Try(lock) != nil || !isAt(lock, lock.Name()) {
		return false, nil
	}
	defer os.Remove(lock.Name()) // runs before unlocking; fails on Windows
	r, err := wholefile.NewReplacementIn(nil, name, name+".part", 0o600)
	if err != nil {
		return false, err
	}
	defer r.Discard()
	if err := s.makeIndex(ctx, r.File, head, lists); err != nil {
		return false, err
	}
	if err := r.Commit(); err != nil {
		s.note(err) // on Windows, another process may have an older index open
		return false, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return false, nil // another process has removed the file
	}
	if s.index, err = openIndex(f, head); err != nil {
		f.Close()
		return false, err
	}
	return true, nil
}

// isAt reports whether the open file f is still the file with the given name. The previous lock
// holder may have removed the file.
func isAt(f *os.File, name string) bool {
	info, err := f.Stat()
	named, errNamed := os.Stat(name)
	return err == nil && errNamed == nil && os.SameFile(info, named)
}

// makeIndex writes the index to the file f.
func (s *Store) makeIndex(ctx context.Context, f *os.File, head string, lists []list) error {
	lines := newSorter(s.options.Cache)
	defer lines.Close()
	known, err := s.readLists(ctx, lists, lines)
	if err != nil {
		return err
	}
	scan := &scanner{store: s, ctx: ctx, lines: lines, maxSize: maxBlock}
	for _, file := range s.files {
		scan.size += file.size
	}
	for i, file := range s.files {
		if known[i] {
			scan.read += file.size
			continue
		}
		if err := scan.addFile(i); err != nil {
			return err
		}
	}
	if _, err := f.WriteString(head); err != nil {
		return err
	}
	if err := writeSorted(ctx, f, lines); err != nil {
		return err
	}
	_, err = f.WriteString(indexEnd)
	return err
}

func (s *Store) note(err error) {
	if s.options.Note != nil {
		s.options.Note(fmt.Errorf("archive: %w", err))
	}
}

// record is an open record in an archive.
type record struct {
	*warc.Record
	file *os.File
}

func (r *record) Close() error { return r.file.Close() }

// openRecord opens the record for an index entry. It compares the record with the entry,
// because the index may be outdated.
func (s *Store) openRecord(e *entry) (*record, error) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	switch {
	case closed:
		return nil, fs.ErrClosed
	case e.file >= len(s.files):
		return nil, errEntry
	}
	file := s.files[e.file]
	f, err := os.Open(file.path)
	if err != nil {
		return nil, err
	}
	rec, err := warc.NewReader(io.NewSectionReader(f, e.offset, max(file.size-e.offset, 0))).Next()
	if err == nil && rec.Target() != e.url && !s.isSame(rec.Target(), e.url) {
		err = fmt.Errorf("the record is for %.200q", rec.Target())
	}
	if err != nil {
		f.Close()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, scheme.Hint(fmt.Errorf("%w: %s, offset %d: %w", scheme.ErrProtocol, filepath.Base(file.path), e.offset, err), "the index does not match the archive: remove the .cdxj file next to it")
	}
	return &record{rec, f}, nil
}

// isSame reports whether two texts represent the same URL.
func (s *Store) isSame(a, b string) bool {
	first, err := locus.Parse(a)
	if err != nil {
		return false
	}
	second, err := locus.Parse(b)
	return err == nil && keyOf(s.registry, first) == keyOf(s.registry, second)
}
