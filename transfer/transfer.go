package transfer

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/scheme"
)

// Job is a URL and the name of the file to which Run writes the object.
type Job struct {
	URL locus.URL // URL after redirects
	// Name is the file name in the directory, not a path. [SafeName] makes such a name.
	Name string
}

// Result is the outcome of a job.
type Result struct {
	Index int // index of the job
	Job   Job
	// Resource is the object or menu that was written. The resource is closed, so a caller
	// can read only its description. Resource is nil after an error, or if nothing was
	// downloaded.
	Resource scheme.Resource
	URL      locus.URL // URL after redirects
	Size     int64     // file size
	Resumed  int64     // bytes in Size that come from an earlier part
	Skipped  bool      // the file existed, and Options.Resume is set
	// Discarded is the number of bytes of an earlier part that Run downloaded again. The reason is
	// that the object has changed (see Changed) or that the server can't resume.
	Discarded int64
	Changed   bool
	Err       error // an [*Error]
}

// Options configures [Run]. The zero value and a nil pointer select the defaults.
type Options struct {
	// Politeness limits the jobs. Each job counts as one request. A retry continues where
	// the last attempt stopped.
	access.Politeness
	// If Resume is true, Run continues existing parts and skips existing files.
	Resume bool
	// If Overwrite is true, Run replaces existing files.
	Overwrite bool
	// Raw writes the bytes of a body in any content coding. If Raw is false, a coding that
	// Run can't decode is the error ErrCoded.
	Raw bool
	// If NoTimes is true, the modification time of a file is the time of the download.
	// Otherwise it is the modification time of the object, if the server reports that time.
	NoTimes bool
	// Accept and AcceptLanguage are as in [access.Request], for all jobs.
	Accept, AcceptLanguage string
	// Items and Like are as in [access.Request], for all jobs.
	Items scheme.ItemRange
	Like  []locus.URL
	// From returns the result that contained the URL of a job. Run passes the result to the
	// client as the field From of [access.Request]. If From is nil, all URLs count as typed.
	From func(Job) *access.Result
	// Menu writes a menu to a file. If Menu is nil, a menu is an error.
	Menu func(w io.Writer, m *scheme.Menu) error
	// Progress is called to report the progress of the jobs. Run does not call Progress
	// concurrently.
	Progress func(Event)
}

// Client opens URLs. [*access.Client] implements it.
type Client interface {
	Do(context.Context, access.Request) (*access.Result, error)
}

// Run downloads the objects of the jobs to files in the directory folder. Run opens URLs
// with the client c, and yields the results in the order of the jobs. If ctx is
// cancelled, the jobs end. A later run can resume their partial files.
//
// If the error is [ErrTwice] or [ErrName], nothing was downloaded.
func Run(ctx context.Context, c Client, folder *os.Root, jobs []Job, o *Options) (iter.Seq[Result], error) {
	if err := checkNames(jobs); err != nil {
		return nil, err
	}
	r := &runner{client: c, folder: folder}
	if o != nil {
		r.options = *o
	}
	r.options.Politeness = crawl.Settle(r.options.Politeness)
	return func(yield func(Result) bool) { r.run(ctx, jobs, yield) }, nil
}

// Distinguish makes the names of jobs different. It adds ".1", ".2" and so on to a name
// that an earlier job uses for its file or its part. It returns the indexes of the jobs
// that it renamed.
func Distinguish(jobs []Job) (renamed []int) {
	files, parts := map[string]bool{}, map[string]bool{}
	for i := range jobs {
		job := &jobs[i]
		name := job.Name
		for n := 1; files[job.Name] || parts[job.Name] || slices.ContainsFunc(suffixes, func(s string) bool { return files[job.Name+s] }); n++ {
			job.Name = name + "." + strconv.Itoa(n)
		}
		if job.Name != name {
			renamed = append(renamed, i)
		}
		files[job.Name] = true
		for _, suffix := range suffixes {
			parts[job.Name+suffix] = true
		}
	}
	return renamed
}

// suffixes lists the suffixes of temporary files. The program must not modify this list.
var suffixes = []string{partSuffix, sourceSuffix, lockSuffix}

// checkNames returns an error if two jobs write to the same file, including temporary files.
func checkNames(jobs []Job) error {
	names := make(map[string]locus.URL, len(jobs))
	twice := func(name string, u, v locus.URL) error {
		return fmt.Errorf("transfer: %w %s: %s and %s", ErrTwice, locus.Quote(name), u.Shown(), v.Shown())
	}
	for _, job := range jobs {
		if job.Name == "" || job.Name == "." || strings.ContainsRune(job.Name, '/') || !filepath.IsLocal(job.Name) || filepath.Base(job.Name) != job.Name {
			return fmt.Errorf("transfer: %w: %s, for %s", ErrName, locus.Quote(job.Name), job.URL.Shown())
		}
		if u, ok := names[job.Name]; ok {
			return twice(job.Name, u, job.URL)
		}
		names[job.Name] = job.URL
	}
	for _, job := range jobs {
		for _, suffix := range suffixes {
			if name, ok := strings.CutSuffix(job.Name, suffix); ok && !names[name].IsZero() {
				return twice(job.Name, names[name], job.URL)
			}
		}
	}
	return nil
}

type runner struct {
	client  Client
	folder  *os.Root
	dir     *os.File // open file for the directory folder; nil if the directory can't be opened
	options Options
	mu      sync.Mutex // prevents concurrent calls of Progress
}

func (r *runner) run(ctx context.Context, jobs []Job, yield func(Result) bool) {
	q := crawl.New[int]()
	results := make([]chan Result, len(jobs))
	more := make([]bool, len(jobs))
	left := make(map[string]int)
	atOnce := cmp.Or(r.options.PerHost, r.options.Parallel)
	for i, job := range slices.Backward(jobs) {
		host := crawl.HostName(job.URL)
		more[i] = left[host] >= atOnce
		left[host]++
	}
	for i, job := range jobs {
		results[i] = make(chan Result, 1)
		q.Add(i, crawl.HostName(job.URL), crawl.Limits{AtOnce: r.options.PerHost, Interval: r.options.Interval})
	}
	q.End()
	// If the directory can't be opened, Run writes small files through parts.
	if dir, err := r.folder.Open("."); err == nil {
		r.dir = dir
		defer dir.Close()
	}
	var workers sync.WaitGroup
	defer workers.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range min(r.options.Parallel, len(jobs)) {
		workers.Go(func() {
			buf := make([]byte, bufferSize)
			for {
				i, host, ok := q.Take()
				if !ok {
					return
				}
				results[i] <- r.do(ctx, i, jobs[i], more[i], buf)
				q.Skip(host)
			}
		})
	}
	for _, result := range results {
		if !yield(<-result) {
			return
		}
	}
}

func (r *runner) do(ctx context.Context, i int, job Job, more bool, buf []byte) Result {
	t := task{
		runner:  r,
		buf:     buf,
		hasMore: more,
		part:    part{folder: r.folder, file: job.Name},
		result:  Result{Index: i, Job: job, URL: job.URL},
	}
	if r.options.Progress != nil {
		t.progress.report = r.report
	}
	t.progress.event = Event{Index: i, Total: -1, Left: -1}
	err := ctx.Err()
	if err == nil {
		err = t.run(ctx)
	}
	if t.result.Err = t.failure(err); t.result.Err != nil {
		t.result.Resource = nil
	}
	t.progress.end(t.result.Err)
	return t.result
}

func (r *runner) report(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.options.Progress(e)
}

type task struct {
	*runner
	buf      []byte
	hasMore  bool // whether more jobs for the same host follow
	part     part
	ownPart  bool // whether this task created the part
	progress progress
	result   Result

	resumable bool // whether a later run can resume the object
}

func (t *task) failure(err error) error {
	resumable := t.part.finish()
	t.part.unlock()
	if err == nil {
		return nil
	}
	e := &Error{URL: t.result.Job.URL, File: t.part.path(t.part.file), Err: err}
	if resumable {
		e.Part, e.PartSize, e.Resumable = t.part.path(t.part.partName()), t.part.size, t.resumable
	}
	return e
}

func (t *task) run(ctx context.Context) error {
	if err := t.checkFiles(); err != nil || t.result.Skipped {
		return err
	}
	if !t.isFresh() {
		if err := t.lock(ctx); err != nil || t.result.Skipped {
			return err
		}
	}
	for tries := 1; ; tries++ {
		err := t.try(ctx)
		if err == nil {
			return nil
		}
		again, asked := retry(err)
		if !again {
			return err
		}
		pause, again := crawl.Backoff(t.options.Politeness, tries, asked)
		if !again {
			return err
		}
		t.part.close()
		t.progress.pause(Waiting, err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// lock locks the part. Then it checks the files again, because another process may have
// changed them.
func (t *task) lock(ctx context.Context) error {
	if err := t.waitForLock(ctx); err != nil {
		// Another process holds the lock and owns the part, so the result must not describe the
		// part.
		t.part.source = source{}
		return err
	}
	return t.checkFiles()
}

// retry is like [access.Retry], but also supports errors from this package.
func retry(err error) (again bool, pause time.Duration) {
	if isFileError(err) || errors.Is(err, ErrNotObject) || errors.Is(err, ErrCoded) {
		return false, 0
	}
	return access.Retry(err)
}

// checkFiles checks whether a part exists, and whether a file with the final name exists.
func (t *task) checkFiles() error {
	if err := t.part.load(); err != nil {
		return err
	}
	name := t.part.file
	info, err := t.folder.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return t.part.err(name, err)
	case info.IsDir():
		return t.part.err(name, syscall.EISDIR)
	case !info.Mode().IsRegular():
		return exists(t.part.path(name))
	case t.options.Resume && t.part.source.URL == "":
		t.result.Skipped, t.result.Size = true, info.Size()
		t.progress.event.Done, t.progress.event.Total = info.Size(), info.Size()
		return nil
	case !t.options.Overwrite:
		return exists(t.part.path(name))
	}
	// Without this check, renaming would replace even a read-only file.
	f, err := t.folder.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return t.part.err(name, err)
	}
	return f.Close()
}

func (t *task) try(ctx context.Context) error {
	var offset int64
	if t.options.Resume || t.ownPart {
		offset = t.part.offset(t.result.Job.URL)
	}
	resource, err := t.openResource(ctx, offset)
	if err != nil {
		return err
	}
	t.result.Resource = resource
	switch resource := resource.(type) {
	case *scheme.Object:
		err = t.writeObject(ctx, resource)
	case *scheme.Menu:
		err = t.writeMenu(ctx, resource)
	default:
		err = ErrNotObject
	}
	err = cmp.Or(err, resource.Close())
	if errors.Is(err, errShared) {
		return t.tryLocked(ctx)
	}
	if err == nil && t.part.f != nil {
		t.result.Size = t.part.size
		err = t.part.publish(t.options.Overwrite, t.modTime(resource))
	}
	return err
}

// modTime returns the modification time for the file. The zero time means the current time.
func (t *task) modTime(r scheme.Resource) time.Time {
	if o, ok := r.(*scheme.Object); ok && !t.options.NoTimes {
		return o.ModTime
	}
	return time.Time{}
}

// openResource opens the resource. If the transfer resumes a part, it also opens the part.
func (t *task) openResource(ctx context.Context, offset int64) (scheme.Resource, error) {
	req := access.Request{URL: t.result.Job.URL, Accept: t.options.Accept, AcceptLanguage: t.options.AcceptLanguage, Items: t.options.Items, Like: t.options.Like, More: t.hasMore}
	if t.options.From != nil {
		req.From = t.options.From(t.result.Job)
	}
	if offset > 0 {
		req.Offset, req.Tag, req.ModTime = offset, t.part.source.Tag, t.part.source.ModTime
	}
	result, err := t.client.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	t.result.URL = result.URL
	object, ok := result.Resource.(*scheme.Object)
	if !ok || object.Start == 0 {
		if offset > 0 {
			t.noteDiscarded(ok && !t.part.source.matches(object))
		}
		return result.Resource, nil
	}
	if object.Start != offset {
		object.Close()
		return nil, fmt.Errorf("%w: requested data from offset %d, but received data from offset %d", scheme.ErrProtocol, offset, object.Start)
	}
	ok, err = t.part.resume(object)
	if ok {
		return object, nil
	}
	object.Close()
	if err != nil {
		return nil, err
	}
	t.noteDiscarded(true)
	return t.openResource(ctx, 0)
}

func (t *task) noteDiscarded(changed bool) {
	if !t.ownPart {
		t.result.Discarded, t.result.Changed = t.part.size, changed
	}
}

func (t *task) writeObject(ctx context.Context, o *scheme.Object) error {
	if o.Encoding != "" && !t.options.Raw {
		return fmt.Errorf("%w: %s", ErrCoded, locus.Quote(o.Encoding))
	}
	t.resumable = o.Resumable
	if t.isSmall(o) {
		return t.writeSmall(ctx, o)
	}
	if o.Start == 0 {
		if err := t.beginPart(o); err != nil {
			return err
		}
	}
	if !t.ownPart {
		t.ownPart, t.result.Resumed = true, t.part.size
	}
	t.progress.startTransfer(t.part.size, o.Size)
	return t.progress.copy(ctx, &t.part, o.Body, t.buf)
}

// beginPart creates a part for the object o, or for a menu if o is nil.
func (t *task) beginPart(o *scheme.Object) error {
	if err := t.lockLate(); err != nil {
		return err
	}
	t.ownPart, t.result.Resumed = true, 0
	s := source{URL: sourceURL(t.result.Job.URL), Size: -1}
	if o != nil {
		s.Tag, s.ModTime, s.Size = o.Tag, o.ModTime, o.Size
	}
	return t.part.createFiles(s)
}

// writeMenu writes a menu. If it fails, it removes the incomplete part, because menus can't be
// resumed.
func (t *task) writeMenu(ctx context.Context, m *scheme.Menu) error {
	if t.options.Menu == nil {
		return fmt.Errorf("%w: it is a menu", ErrNotObject)
	}
	if err := t.beginPart(nil); err != nil {
		return err
	}
	t.progress.startTransfer(0, -1)
	w := bufio.NewWriterSize(&t.part, bufferSize)
	err := t.options.Menu(w, m)
	if err == nil {
		err = w.Flush()
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		t.part.discard()
	}
	return err
}
