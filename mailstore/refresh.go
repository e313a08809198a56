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

// Progress is how far indexing is.
type Progress struct {
	Path      string // what is being read
	Messages  int64  // messages that were read
	New       int64  // of them, those that can be found now and were not in the index
	WithoutID int64  // of them, those that have no Message-ID and can't be found
	Octets    int64  // octets of mbox files that were read
}

// eachProgress is after how many messages there is a call again.
const eachProgress = 1000

const (
	// hot is how old a change is at least to be told from one that comes next: some
	// file systems keep times of two seconds.
	hot = 2 * time.Second
	// deepest is how many directories there are in one another at most.
	deepest = 200
	// readNames is how many names of a directory are read at once.
	readNames = 1024
)

// refresher brings the index up to date. It has the lock.
type refresher struct {
	s        *Store
	ctx      context.Context
	progress func(Progress)
	suspects map[string]bool // containers that are read again, whatever they look like

	now        time.Time
	roots      []string // the sources, without symbolic links
	containers map[string]*container
	dead       bool // there is a container that is dead
	last       uint32
	seen       map[string]bool // the real paths of directories and mboxes
	unread     []string        // what could not be read: what is below is kept
	batch      batch
	at         Progress
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
		r.bury()
	}
	// What was found is kept, also when the rest is for another time.
	if err := r.flush(); err != nil {
		return err
	}
	if err == nil && r.dead {
		err = r.s.index.update(sweep)
	}
	if r.progress != nil && err == nil {
		r.progress(r.at)
	}
	return err
}

// load reads what the index knows of containers.
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
	r.seen = map[string]bool{}
	// The index is no mail, where its folder is in one that is walked.
	if cache, err := filepath.EvalSymlinks(filepath.Dir(r.s.index.Path)); err == nil {
		r.seen[cache] = true
	}
	for _, source := range r.s.sources {
		path, err := filepath.EvalSymlinks(source)
		if err != nil {
			r.skip(source, about(source, err))
			continue
		}
		r.roots = append(r.roots, path)
		delete(r.seen, path)
	}
	for _, path := range r.roots {
		if err := r.path(path); err != nil {
			return err
		}
	}
	return nil
}

// skip tells why something is skipped. What is there and can't be read keeps its
// place in the index.
func (r *refresher) skip(path string, err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		r.unread = append(r.unread, path)
	}
	r.s.note(err)
}

// path reads a source, or what a symbolic link leads to; path has none in it.
func (r *refresher) path(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		r.skip(path, about(path, err))
		return nil
	case info.IsDir():
		return r.directory(path, 0)
	case r.seen[path]:
		return nil
	}
	r.seen[path] = true
	return r.single(path)
}

// single reads a file that is there by itself.
func (r *refresher) single(path string) error {
	scan, err := r.scan(path, kindFile)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err == nil {
		err = scan.file(path, "", info)
	}
	return r.ended(scan, path, err)
}

// directory reads a directory, with all that is in it.
func (r *refresher) directory(path string, depth int) error {
	if r.seen[path] {
		return nil
	}
	r.seen[path] = true
	if depth > deepest {
		r.skip(path, about(path, fmt.Errorf("more than %d directories deep", deepest)))
		return nil
	}
	maildir := isDirectory(filepath.Join(path, "cur")) && isDirectory(filepath.Join(path, "new"))
	if maildir {
		if err := r.maildir(path); err != nil {
			return err
		}
	}
	scan, err := r.scan(path, kindFolder)
	if err != nil {
		return err
	}
	var below []string
	err = r.names(path, func(entry fs.DirEntry) error {
		name := entry.Name()
		switch {
		case maildir && (name == "cur" || name == "new" || name == "tmp"):
		case maildir && entry.Type().IsRegular():
			// A Maildir has files beside its messages that say how it is used.
		case entry.IsDir():
			below = append(below, filepath.Join(path, name))
		case entry.Type()&fs.ModeSymlink != 0:
			return r.link(path, filepath.Join(path, name), &below)
		case entry.Type().IsRegular():
			info, err := entry.Info()
			if err != nil {
				return nil // it is gone
			}
			return scan.file(path, name, info)
		default:
			r.s.note(about(filepath.Join(path, name), errNoFile))
		}
		return nil
	})
	if err := r.ended(scan, path, err); err != nil {
		return err
	}
	slices.Sort(below)
	for _, path := range below {
		if err := r.directory(path, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// link follows a symbolic link in a directory, unless it leads to where we come
// from, or come to by ourselves.
func (r *refresher) link(directory, path string, below *[]string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		r.s.note(about(path, err))
		return nil
	}
	if isWithin(directory, target) {
		r.s.note(about(path, errors.New("a symbolic link to where it is in")))
		return nil
	}
	for _, root := range r.roots {
		if isWithin(target, root) {
			return nil
		}
	}
	if isDirectory(target) {
		*below = append(*below, target)
		return nil
	}
	return r.path(target)
}

// isWithin reports whether path is directory or in it.
func isWithin(path, directory string) bool {
	rest, ok := strings.CutPrefix(path, directory)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(directory, string(filepath.Separator)))
}

// names calls visit with each entry of a directory. An error of the directory is a
// [*unreadError].
func (r *refresher) names(path string, visit func(fs.DirEntry) error) error {
	f, err := os.Open(path)
	if err != nil {
		return &unreadError{err}
	}
	defer f.Close()
	for {
		list, err := f.ReadDir(readNames)
		for _, entry := range list {
			if err := visit(entry); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = r.ctx.Err()
		} else {
			err = &unreadError{err}
		}
		if err != nil {
			return err
		}
	}
}

// unreadError says that there is something that could not be read.
type unreadError struct{ err error }

func (e *unreadError) Error() string { return e.err.Error() }
func (e *unreadError) Unwrap() error { return e.err }

// bury ends the containers that are no longer there.
func (r *refresher) bury() {
	for path, c := range r.containers {
		kept := r.seen[path+containerMark]
		for _, unread := range r.unread {
			kept = kept || isWithin(path, unread)
		}
		if !kept {
			r.kill(c)
		}
	}
}

// containerMark is behind the paths of containers in refresher.seen.
const containerMark = "\x00container"

// keep says that a container is there.
func (r *refresher) keep(path string) { r.seen[path+containerMark] = true }

// container makes a container, and ends what was at the same path.
func (r *refresher) container(path string, k kind) *container {
	if old := r.containers[path]; old != nil {
		r.kill(old)
	}
	r.last++
	c := &container{ID: r.last, Kind: k, Path: []byte(path)}
	r.containers[path] = c
	return c
}

func (r *refresher) kill(c *container) {
	c.Dead, r.dead = true, true
	r.batch.note(c)
}

// isFull reports whether it is time for flush.
func (r *refresher) isFull() bool { return r.batch.size() >= r.s.batch }

// flush writes what was found.
func (r *refresher) flush() error {
	if r.batch.empty() {
		return nil
	}
	return r.s.index.update(r.batch.write)
}

// found counts a message. known: the index has it already.
func (r *refresher) found(path string, ids []string, known bool) {
	r.at.Path = path
	switch {
	case len(ids) == 0:
		r.at.WithoutID++
	case !known:
		r.at.New++
	}
	if r.at.Messages++; r.progress != nil && r.at.Messages%eachProgress == 0 {
		r.progress(r.at)
	}
}

// changed returns the time of a change, or 0 if it is not long enough ago to be
// told from the next.
func (r *refresher) changed(info fs.FileInfo) int64 {
	if info.ModTime().After(r.now.Add(-hot)) {
		return 0
	}
	return info.ModTime().UnixNano()
}

// mbox brings the entries of an mbox up to date.
func (r *refresher) mbox(path string, f *os.File, info fs.FileInfo) error {
	r.keep(path)
	c := r.containers[path]
	at, known := int64(0), int64(-1)
	switch {
	case c == nil || c.Kind != kindMbox || r.suspects[path] || !c.isStart(f, info):
		c = r.container(path, kindMbox)
	case c.Done && c.Size == info.Size():
		r.cooled(c, info)
		return nil
	default:
		// The last message that was read may have grown.
		if at = c.Resume; c.Size > 0 {
			known = at
		}
	}
	c.Done, c.Time, c.Hot = false, info.ModTime().UnixNano(), r.changed(info) == 0
	size, err := r.entries(c, f, at, info.Size(), known)
	if err != nil {
		return err
	}
	c.Done = true
	return r.reached(c, f, size)
}

// cooled notes that an mbox that is as it was was changed long enough ago.
func (r *refresher) cooled(c *container, info fs.FileInfo) {
	if c.Hot && r.changed(info) != 0 {
		c.Hot = false
		r.batch.note(c)
	}
}

// isStart reports whether the mbox is as it was, or has only grown.
func (c *container) isStart(f *os.File, info fs.FileInfo) bool {
	same := info.Size() == c.Size && c.Time == info.ModTime().UnixNano()
	switch {
	case same && c.Done && !c.Hot:
		return true
	case info.Size() < c.Size, info.Size() == c.Size && c.Done && !same:
		return false
	}
	head, tail, err := ends(f, c.Size)
	return err == nil && head == c.Head && tail == c.Tail
}

// entries adds the messages of an mbox from at on, and returns where the mbox ends. If
// reading fails, what was read is noted. The index has the message at known already, if
// there is one.
func (r *refresher) entries(c *container, f *os.File, at, size, known int64) (end int64, err error) {
	m := message.NewMbox(section(r.ctx, f, at, size))
	m.IDs = true
	for m.Next() {
		e := m.End()
		if m.Err() != nil {
			break
		}
		for _, id := range e.IDs {
			r.batch.places = append(r.batch.places, place{hashOf(id), c.ID, uint64(e.From)})
		}
		c.Resume = e.From
		r.at.Octets += e.Next - e.From
		r.found(c.path(), e.IDs, e.From == known)
		if at = e.Next; !r.isFull() || at == size {
			continue
		}
		if err := r.reached(c, f, at); err != nil {
			return at, err
		}
		if err := r.flush(); err != nil {
			return at, err
		}
	}
	if m.Err() != nil {
		return at, errors.Join(&unreadError{m.Err()}, r.reached(c, f, at))
	}
	return at, nil
}

// reached notes how far an mbox has been read.
func (r *refresher) reached(c *container, f *os.File, size int64) error {
	r.batch.note(c)
	head, tail, err := ends(f, size)
	if err != nil {
		return &unreadError{err}
	}
	c.Size, c.Head, c.Tail = size, head, tail
	return nil
}

// scan is the reading of a container of files.
type scan struct {
	*refresher
	container *container
	files     []seenFile // those that the index has, in order of known
}

// seenFile is a file that the index has. There may be a million in a directory.
type seenFile struct {
	known  hash
	number uint32
	seen   bool // it turned up
}

// scan begins to read what is in a directory. The container is made when there is
// something to be in it.
func (r *refresher) scan(path string, k kind) (*scan, error) {
	s := &scan{refresher: r}
	key := containerPath(path, k)
	c := r.containers[key]
	if c == nil || c.Kind != k || r.suspects[key] {
		return s, nil
	}
	s.container = c
	s.files = make([]seenFile, 0, min(c.Last, 1<<20))
	err := r.s.index.View(func(tx *bbolt.Tx) error {
		return files(tx, c.ID, func(number uint32, f file) error {
			s.files = append(s.files, seenFile{known: f.known(), number: number})
			return nil
		})
	})
	slices.SortFunc(s.files, func(a, b seenFile) int { return cmp.Compare(a.known, b.known) })
	return s, err
}

// containerPath returns the path that a container is known by: a directory may be
// a Maildir, and have other files too.
func containerPath(path string, k kind) string {
	if k == kindMaildir {
		return path + string(filepath.Separator)
	}
	return path
}

// join returns the path of a file of a container.
func join(c *container, name string) string { return filepath.Join(c.path(), name) }

// known reports whether a file is in the index as it is.
func (s *scan) known(f *file) bool {
	i, ok := slices.BinarySearchFunc(s.files, f.known(), func(f seenFile, known hash) int { return cmp.Compare(f.known, known) })
	if ok {
		s.files[i].seen = true
	}
	return ok
}

// add adds a file, which is not known. k is of its container.
func (s *scan) add(path string, k kind, f file) error {
	if s.container == nil {
		s.container = s.refresher.container(containerPath(path, k), k)
	}
	s.container.Done = false
	s.batch.addFile(s.container, f)
	if s.isFull() {
		return s.flush()
	}
	return nil
}

// file reads a file of a folder, or one that is there by itself and has no name.
func (s *scan) file(directory, name string, info fs.FileInfo) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	path, k := filepath.Join(directory, name), kindFolder
	if name == "" {
		k = kindFile
	}
	f := file{name: name, size: info.Size(), time: info.ModTime().UnixNano()}
	if s.known(&f) {
		return nil
	}
	opened, info, err := openFile(path)
	if err != nil {
		s.skip(path, err)
		return nil
	}
	defer opened.Close()
	what, err := sniff(opened, path)
	switch {
	case err != nil:
		s.skip(path, about(path, err))
		return nil
	case what == contentMbox:
		return s.unlessUnread(path, s.mbox(path, opened, info))
	case what == contentMessage:
		ids, _, err := message.ReadIDs(section(s.ctx, opened, 0, info.Size()), false)
		switch {
		case s.ctx.Err() != nil:
			return s.ctx.Err()
		case err != nil:
			s.skip(path, about(path, err))
			return nil
		}
		f.addIDs(ids)
		s.found(path, ids, false)
	}
	return s.add(directory, k, f)
}

func (f *file) addIDs(ids []string) {
	for _, id := range ids {
		f.ids = append(f.ids, hashOf(id))
	}
}

// unlessUnread makes a note of an error that is of one file of mail, and returns
// others.
func (r *refresher) unlessUnread(path string, err error) error {
	unread, ok := errors.AsType[*unreadError](err)
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case !ok:
		return err
	}
	r.skip(path, about(path, unread.err))
	return nil
}

// ended ends a scan; err is how it did.
func (r *refresher) ended(s *scan, path string, err error) error {
	if unread, ok := errors.AsType[*unreadError](err); ok {
		r.skip(path, about(path, unread.err))
		return nil
	}
	if err != nil || s.container == nil {
		return err
	}
	r.keep(s.container.path())
	gone := false
	for _, f := range s.files {
		if f.seen {
			continue
		}
		gone = true
		r.batch.gone = append(r.batch.gone, fileEntry{container: s.container.ID, number: f.number})
		if r.isFull() {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	if gone || !s.container.Done {
		s.container.Done = true
		r.batch.note(s.container)
	}
	return nil
}

// maildir brings the entries of a Maildir up to date. Its files don't change, but
// for their names.
func (r *refresher) maildir(path string) error {
	key := containerPath(path, kindMaildir)
	var times [2]int64
	for i, name := range []string{"cur", "new"} {
		info, err := os.Stat(filepath.Join(path, name))
		if err != nil {
			r.skip(path, about(path, err))
			return nil
		}
		times[i] = r.changed(info)
	}
	c := r.containers[key]
	if c != nil && c.Done && !r.suspects[key] && c.Time != 0 && c.NewTime != 0 && times == [2]int64{c.Time, c.NewTime} {
		r.keep(key)
		return nil
	}
	s, err := r.scan(path, kindMaildir)
	if err != nil {
		return err
	}
	if s.container == nil {
		s.container = r.container(key, kindMaildir)
	}
	for _, name := range []string{"new", "cur"} {
		err = r.names(filepath.Join(path, name), func(entry fs.DirEntry) error {
			return s.maildirFile(path, name+"/"+entry.Name(), entry)
		})
		if err != nil {
			break
		}
	}
	if err == nil {
		s.container.Time, s.container.NewTime, s.container.Done = times[0], times[1], false
	}
	return r.ended(s, path, err)
}

// maildirFile reads a file of a Maildir; name begins with "cur/" or "new/".
func (s *scan) maildirFile(path, name string, entry fs.DirEntry) error {
	full := filepath.Join(path, name)
	switch {
	case entry.Name()[0] == '.' || entry.IsDir():
		return nil
	case !entry.Type().IsRegular() && entry.Type()&fs.ModeSymlink == 0:
		s.s.note(about(full, errNoFile))
		return nil
	}
	f := file{name: name}
	if s.known(&f) {
		return nil
	}
	ids, err := readIDs(s.ctx, full, false, 0)
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		return nil // it has another name by now, and the directory another time
	case err != nil:
		s.s.note(err)
		return nil
	}
	f.addIDs(ids)
	s.found(full, ids, false)
	return s.add(path, kindMaildir, f)
}

// base returns the name of a message in a Maildir without its flags.
func base(name string) string {
	name, _, _ = strings.Cut(name, ":2,")
	return name
}

// renamed returns where the message of a Maildir is that was at path: when its
// flags change it gets another name, and when it has been seen it goes from new
// to cur.
func renamed(path string) (string, error) {
	maildir := filepath.Dir(filepath.Dir(path))
	want := base(filepath.Base(path))
	for _, name := range []string{"cur", "new"} {
		directory := filepath.Join(maildir, name)
		f, err := os.Open(directory)
		if err != nil {
			return "", about(path, err)
		}
		defer f.Close()
		for {
			list, err := f.Readdirnames(readNames)
			for _, name := range list {
				if base(name) == want {
					return filepath.Join(directory, name), nil
				}
			}
			if err != nil {
				break
			}
		}
	}
	return "", about(path, fs.ErrNotExist)
}
