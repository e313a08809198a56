package mailstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/locus-url/locus/message"
)

// Progress is the progress of indexing.
type Progress struct {
	Path      string // current file or directory
	Messages  int64  // messages read
	New       int64  // messages that were not in the index before
	WithoutID int64  // messages without a Message-ID, which Find can't find
	Octets    int64  // bytes read from mbox files
}

const progressEach = 1000

const (
	// recentTime is the age after which a change of a file certainly has another modification
	// time than any later change. Some file systems store times with a resolution of 2
	// seconds.
	recentTime = 2 * time.Second
	maxDepth   = 200
	// dirBatch is the maximum number of directory entries to read at once.
	dirBatch = 1024
)

// refresher updates the index. A refresher holds the index lock.
type refresher struct {
	s        *Store
	ctx      context.Context
	progress func(Progress)
	reread   map[string]bool // containers to read again even if they look unchanged

	now        time.Time
	roots      []string // sources after resolving symbolic links
	containers map[string]*container
	dead       bool // whether the index contains a dead container
	last       uint32
	seen       map[string]bool // real paths of directories and mboxes
	existing   map[string]bool // existing containers
	unread     []string        // unreadable paths, below which messages stay in the index
	batch      batch
	reached    Progress
}

func (r *refresher) run() error {
	if err := r.s.index.Verify(); err != nil {
		return err
	}
	err := r.s.index.View(r.load)
	if errors.Is(err, fs.ErrNotExist) {
		err = r.s.index.update(func(w writer) error { return r.load(w.tx) })
	}
	if err != nil {
		return err
	}
	err = r.sources()
	if err == nil {
		r.markMissing()
	}
	// Store the results even after an error.
	if err := r.flush(); err != nil {
		return err
	}
	if err == nil && r.dead {
		err = r.s.index.update(deleteDead)
	}
	if r.progress != nil && err == nil {
		r.progress(r.reached)
	}
	return err
}

func (r *refresher) load(tx *bbolt.Tx) error {
	list, err := containers(tx)
	r.containers = make(map[string]*container, len(list))
	for _, c := range list {
		r.last = max(r.last, c.ID)
		if c.Dead {
			r.dead = true
		} else {
			r.containers[c.path()] = c
		}
	}
	return err
}

func (r *refresher) sources() error {
	r.now = time.Now()
	r.seen, r.existing = map[string]bool{}, map[string]bool{}
	// A source may contain the index directory, which is not mail.
	if cache, err := filepath.EvalSymlinks(filepath.Dir(r.s.index.Path)); err == nil {
		r.seen[cache] = true
	}
	for _, source := range r.s.sources {
		path, err := filepath.EvalSymlinks(source)
		if err != nil {
			r.reportSkipped(source, fileError(source, err))
			continue
		}
		r.roots = append(r.roots, path)
		delete(r.seen, path)
	}
	for _, path := range r.roots {
		if err := r.readPath(path); err != nil {
			return err
		}
	}
	return nil
}

// reportSkipped reports the reason for skipping a path. If the path exists, the messages below
// the path stay in the index.
func (r *refresher) reportSkipped(path string, err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		r.unread = append(r.unread, path)
	}
	r.s.note(err)
}

// readPath reads a source, or the target of a symbolic link. path must not contain symbolic
// links.
func (r *refresher) readPath(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		r.reportSkipped(path, fileError(path, err))
		return nil
	case info.IsDir():
		return r.readDirectory(path, 0)
	case r.seen[path]:
		return nil
	}
	r.seen[path] = true
	scan, err := r.startScan(path, kindFile)
	if err != nil {
		return err
	}
	return r.finishScan(scan, path, scan.readFile(path, "", info))
}

// readDirectory reads a directory recursively.
func (r *refresher) readDirectory(path string, depth int) error {
	if r.seen[path] {
		return nil
	}
	r.seen[path] = true
	if depth > maxDepth {
		r.reportSkipped(path, fileError(path, fmt.Errorf("more than %d directories deep", maxDepth)))
		return nil
	}
	maildir := isDirectory(filepath.Join(path, "cur")) && isDirectory(filepath.Join(path, "new"))
	if maildir {
		if err := r.readMaildir(path); err != nil {
			return err
		}
	}
	scan, err := r.startScan(path, kindFolder)
	if err != nil {
		return err
	}
	var below []string
	err = readDir(r.ctx, path, func(entry fs.DirEntry) error {
		name := entry.Name()
		switch {
		case maildir && (name == "cur" || name == "new" || name == "tmp"):
		case maildir && entry.Type().IsRegular():
			// These files contain the configuration of the Maildir, and no mail.
		case entry.IsDir():
			below = append(below, filepath.Join(path, name))
		case entry.Type()&fs.ModeSymlink != 0:
			return r.followLink(path, filepath.Join(path, name), &below)
		case entry.Type().IsRegular():
			info, err := entry.Info()
			if err != nil {
				return nil // the directory was removed during the refresh
			}
			return scan.readFile(path, name, info)
		default:
			r.s.note(fileError(filepath.Join(path, name), errNotRegular))
		}
		return nil
	})
	if err := r.finishScan(scan, path, err); err != nil {
		return err
	}
	slices.Sort(below)
	for _, path := range below {
		if err := r.readDirectory(path, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// followLink follows a symbolic link, unless the target is a directory that contains the link,
// or a directory that the refresh reads anyway.
func (r *refresher) followLink(directory, path string, below *[]string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		r.s.note(fileError(path, err))
		return nil
	}
	if isIn(directory, target) {
		r.s.note(fileError(path, errors.New("a symbolic link to a directory that contains it")))
		return nil
	}
	for _, root := range r.roots {
		if isIn(target, root) {
			return nil
		}
	}
	if isDirectory(target) {
		*below = append(*below, target)
		return nil
	}
	return r.readPath(target)
}

func isIn(path, directory string) bool {
	rest, ok := strings.CutPrefix(path, directory)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(directory, string(filepath.Separator)))
}

// readDir calls visit for each entry of a directory. If the directory can't be read, readDir
// returns a [*unreadError].
func readDir(ctx context.Context, path string, visit func(fs.DirEntry) error) error {
	f, err := os.Open(path)
	if err != nil {
		return &unreadError{err}
	}
	defer f.Close()
	for {
		list, err := f.ReadDir(dirBatch)
		for _, entry := range list {
			if err := visit(entry); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		} else {
			err = &unreadError{err}
		}
		if err != nil {
			return err
		}
	}
}

// unreadError means that some mail could not be read.
type unreadError struct{ err error }

func (e *unreadError) Error() string { return e.err.Error() }
func (e *unreadError) Unwrap() error { return e.err }

// markMissing marks containers that no longer exist as dead.
func (r *refresher) markMissing() {
	for path, c := range r.containers {
		kept := r.existing[path]
		for _, unread := range r.unread {
			kept = kept || isIn(path, unread)
		}
		if !kept {
			r.markDead(c)
		}
	}
}

// newContainer creates a container, and marks the previous container at the same path as dead.
func (r *refresher) newContainer(path string, k kind) *container {
	if old := r.containers[path]; old != nil {
		r.markDead(old)
	}
	r.last++
	c := &container{ID: r.last, Kind: k, Path: []byte(path)}
	r.containers[path] = c
	return c
}

func (r *refresher) markDead(c *container) {
	c.Dead, r.dead = true, true
	r.batch.noteContainer(c)
}

func (r *refresher) flush() error {
	if r.batch.empty() {
		return nil
	}
	return r.s.index.update(r.batch.write)
}

func (r *refresher) isFull() bool { return r.batch.size() >= r.s.batch }

func (r *refresher) flushFull() error {
	if !r.isFull() {
		return nil
	}
	return r.flush()
}

// countMessage counts a message. isKnown reports whether the index already contains the message.
func (r *refresher) countMessage(path string, ids []string, isKnown bool) {
	r.reached.Path = path
	switch {
	case len(ids) == 0:
		r.reached.WithoutID++
	case !isKnown:
		r.reached.New++
	}
	if r.reached.Messages++; r.progress != nil && r.reached.Messages%progressEach == 0 {
		r.progress(r.reached)
	}
}

// changeTime returns the modification time of a file. If a later change could have the same
// time, changeTime returns 0.
func (r *refresher) changeTime(info fs.FileInfo) int64 {
	if info.ModTime().After(r.now.Add(-recentTime)) {
		return 0
	}
	return info.ModTime().UnixNano()
}

func (r *refresher) readMbox(path string, f *os.File, info fs.FileInfo) error {
	r.existing[path] = true
	c := r.containers[path]
	at, known := int64(0), int64(-1)
	switch {
	case c == nil || c.Kind != kindMbox || r.reread[path] || !c.isStart(f, info):
		c = r.newContainer(path, kindMbox)
	case c.Done && c.Size == info.Size():
		r.updateRecent(c, info)
		return nil
	default:
		// Another program may have appended to the last message.
		if at = c.Resume; c.Size > 0 {
			known = at
		}
	}
	c.Done, c.Time, c.Recent = false, info.ModTime().UnixNano(), r.changeTime(info) == 0
	size, err := r.readMessages(c, f, at, info.Size(), known)
	if err != nil {
		return err
	}
	c.Done = true
	return r.noteReached(c, f, size)
}

// updateRecent clears the field Recent of an mbox whose last change is old enough.
func (r *refresher) updateRecent(c *container, info fs.FileInfo) {
	if c.Recent && r.changeTime(info) != 0 {
		c.Recent = false
		r.batch.noteContainer(c)
	}
}

// isStart reports whether the mbox f is unchanged since c was recorded, or has only grown.
func (c *container) isStart(f *os.File, info fs.FileInfo) bool {
	same := info.Size() == c.Size && c.Time == info.ModTime().UnixNano()
	switch {
	case same && c.Done && !c.Recent:
		return true
	case info.Size() < c.Size, info.Size() == c.Size && c.Done && !same:
		return false
	}
	head, tail, err := endHashes(f, c.Size)
	return err == nil && head == c.Head && tail == c.Tail
}

// readMessages adds the messages of an mbox, beginning at the offset start. If readMessages is
// interrupted, it records how far it has read. The index already contains the message at
// knownOffset.
func (r *refresher) readMessages(c *container, f *os.File, start, size, knownOffset int64) (end int64, err error) {
	m := message.NewMbox(section(r.ctx, f, start, size))
	m.IDs = true
	for m.Next() {
		e := m.End()
		if m.Err() != nil {
			break
		}
		for _, id := range e.IDs {
			r.batch.postings = append(r.batch.postings, posting{hashOf(id), c.ID, uint64(e.From)})
		}
		c.Resume = e.From
		r.reached.Octets += e.Next - e.From
		r.countMessage(c.path(), e.IDs, e.From == knownOffset)
		if start = e.Next; !r.isFull() || start == size {
			continue
		}
		if err := r.noteReached(c, f, start); err != nil {
			return start, err
		}
		if err := r.flush(); err != nil {
			return start, err
		}
	}
	if m.Err() != nil {
		return start, errors.Join(&unreadError{m.Err()}, r.noteReached(c, f, start))
	}
	return start, nil
}

func (r *refresher) noteReached(c *container, f *os.File, size int64) error {
	r.batch.noteContainer(c)
	head, tail, err := endHashes(f, size)
	if err != nil {
		return &unreadError{err}
	}
	c.Size, c.Head, c.Tail = size, head, tail
	return nil
}

type scan struct {
	*refresher
	container *container
	files     []indexedFile // sorted by fingerprint
}

// indexedFile is a file in the index. An indexedFile must be small, because a directory may
// contain a million files.
type indexedFile struct {
	fingerprint hash
	number      uint32
	seen        bool // whether the file still exists
}

// startScan starts reading a directory. The container is created when the first message is found.
func (r *refresher) startScan(path string, k kind) (*scan, error) {
	s := &scan{refresher: r}
	key := containerPath(path, k)
	c := r.containers[key]
	if c == nil || c.Kind != k || r.reread[key] {
		return s, nil
	}
	s.container = c
	s.files = make([]indexedFile, 0, min(c.Last, 1<<20))
	err := r.s.index.View(func(tx *bbolt.Tx) error {
		return files(tx, c.ID, func(number uint32, f file) error {
			s.files = append(s.files, indexedFile{fingerprint: f.fingerprint(), number: number})
			return nil
		})
	})
	slices.SortFunc(s.files, func(a, b indexedFile) int { return cmp.Compare(a.fingerprint, b.fingerprint) })
	return s, err
}

// containerPath returns the path that identifies a container. The path depends on the kind k,
// because a Maildir may also contain other messages.
func containerPath(path string, k kind) string {
	if k == kindMaildir {
		return path + string(filepath.Separator)
	}
	return path
}

func join(c *container, name string) string { return filepath.Join(c.path(), name) }

func (s *scan) isIndexed(f *file) bool {
	i, ok := slices.BinarySearchFunc(s.files, f.fingerprint(), func(f indexedFile, known hash) int { return cmp.Compare(f.fingerprint, known) })
	if ok {
		s.files[i].seen = true
	}
	return ok
}

// addFile adds a file to the container for path and kind k.
func (s *scan) addFile(path string, k kind, f file) error {
	if s.container == nil {
		s.container = s.refresher.newContainer(containerPath(path, k), k)
	}
	s.container.Done = false
	s.batch.addFile(s.container, f)
	return s.flushFull()
}

// readFile reads a file of a directory. name is empty if the source itself is a file.
func (s *scan) readFile(directory, name string, info fs.FileInfo) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	path, k := filepath.Join(directory, name), kindFolder
	if name == "" {
		k = kindFile
	}
	f := file{name: name, size: info.Size(), time: info.ModTime().UnixNano()}
	if s.isIndexed(&f) {
		return nil
	}
	opened, info, err := openFile(path)
	if err != nil {
		s.reportSkipped(path, err)
		return nil
	}
	defer opened.Close()
	what, err := sniff(opened, path)
	switch {
	case err != nil:
		s.reportSkipped(path, fileError(path, err))
		return nil
	case what == contentMbox:
		return s.skipUnread(path, s.readMbox(path, opened, info))
	case what == contentMessage:
		ids, _, err := message.ReadIDs(section(s.ctx, opened, 0, info.Size()), false)
		switch {
		case s.ctx.Err() != nil:
			return s.ctx.Err()
		case err != nil:
			s.reportSkipped(path, fileError(path, err))
			return nil
		}
		f.addIDs(ids)
		s.countMessage(path, ids, false)
	}
	return s.addFile(directory, k, f)
}

func (f *file) addIDs(ids []string) {
	for _, id := range ids {
		f.ids = append(f.ids, hashOf(id))
	}
}

// skipUnread skips an unreadable file and returns other errors.
func (r *refresher) skipUnread(path string, err error) error {
	unread, ok := errors.AsType[*unreadError](err)
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case !ok:
		return err
	}
	r.reportSkipped(path, fileError(path, unread.err))
	return nil
}

// finishScan ends a scan, and removes missing files from the index. err is the error that ended
// the scan, or nil.
func (r *refresher) finishScan(s *scan, path string, err error) error {
	if unread, ok := errors.AsType[*unreadError](err); ok {
		r.reportSkipped(path, fileError(path, unread.err))
		return nil
	}
	if err != nil || s.container == nil {
		return err
	}
	r.existing[s.container.path()] = true
	gone := false
	for _, f := range s.files {
		if f.seen {
			continue
		}
		gone = true
		r.batch.gone = append(r.batch.gone, fileEntry{container: s.container.ID, number: f.number})
		if err := r.flushFull(); err != nil {
			return err
		}
	}
	if gone || !s.container.Done {
		s.container.Done = true
		r.batch.noteContainer(s.container)
	}
	return nil
}

// readMaildir updates the messages of a Maildir. The files of a Maildir may be renamed, but
// their content never changes.
func (r *refresher) readMaildir(path string) error {
	key := containerPath(path, kindMaildir)
	var times [2]int64
	for i, name := range []string{"cur", "new"} {
		info, err := os.Stat(filepath.Join(path, name))
		if err != nil {
			r.reportSkipped(path, fileError(path, err))
			return nil
		}
		times[i] = r.changeTime(info)
	}
	c := r.containers[key]
	if c != nil && c.Done && !r.reread[key] && c.Time != 0 && c.NewTime != 0 && times == [2]int64{c.Time, c.NewTime} {
		r.existing[key] = true
		return nil
	}
	s, err := r.startScan(path, kindMaildir)
	if err != nil {
		return err
	}
	if s.container == nil {
		s.container = r.newContainer(key, kindMaildir)
	}
	for _, name := range []string{"new", "cur"} {
		err = readDir(r.ctx, filepath.Join(path, name), func(entry fs.DirEntry) error {
			return s.readMaildirFile(path, name+"/"+entry.Name(), entry)
		})
		if err != nil {
			break
		}
	}
	if err == nil {
		s.container.Time, s.container.NewTime, s.container.Done = times[0], times[1], false
	}
	return r.finishScan(s, path, err)
}

// readMaildirFile reads a file of a Maildir. name must begin with "cur/" or "new/".
func (s *scan) readMaildirFile(path, name string, entry fs.DirEntry) error {
	full := filepath.Join(path, name)
	switch {
	case entry.Name()[0] == '.' || entry.IsDir():
		return nil
	case !entry.Type().IsRegular() && entry.Type()&fs.ModeSymlink == 0:
		s.s.note(fileError(full, errNotRegular))
		return nil
	}
	f := file{name: name}
	if s.isIndexed(&f) {
		return nil
	}
	ids, err := readIDs(s.ctx, full, false, 0)
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return nil // the file was renamed, and the next refresh finds it
	case err != nil:
		s.s.note(err)
		return nil
	}
	f.addIDs(ids)
	s.countMessage(full, ids, false)
	return s.addFile(path, kindMaildir, f)
}

// baseName returns the name of a message in a Maildir without its flags.
func baseName(name string) string {
	name, _, _ = strings.Cut(name, ":2,")
	return name
}

// findRenamed finds a Maildir message that was stored at path. A mail program renames the file
// when it changes the message's flags. A mail program moves the file from the directory new to
// cur when it has seen the message.
func findRenamed(path string) (found string, err error) {
	maildir, want := filepath.Dir(filepath.Dir(path)), baseName(filepath.Base(path))
	for _, name := range []string{"cur", "new"} {
		directory := filepath.Join(maildir, name)
		err := readDir(context.Background(), directory, func(entry fs.DirEntry) error {
			if baseName(entry.Name()) != want {
				return nil
			}
			found = filepath.Join(directory, entry.Name())
			return fs.SkipAll
		})
		switch {
		case found != "":
			return found, nil
		case err != nil:
			return "", fileError(path, err)
		}
	}
	return "", fileError(path, fs.ErrNotExist)
}
