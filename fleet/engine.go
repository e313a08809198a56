package fleet

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/verify"
)

// Submitter reads documents, adds the targets of their links to a frontier, and joins links with
// verdicts. It checks local targets and targets with passwords itself, because the NATS servers
// and other machines must not receive them.
type Submitter struct {
	frontier *Frontier
	slot     *slot
	close    func()
	note     func(format string, args ...any)

	mu       sync.Mutex
	changed  sync.Cond
	keys     []key // keys of the stored documents, in order; a long document has several keys
	allRead  bool
	err      error
	progress verify.Progress
	here     map[key]bool // targets that the submitter checked itself
}

// NewSubmitter returns a submitter that opens URLs with the clients of w. w need not run. The
// caller must call [Submitter.Close].
func NewSubmitter(w *Worker) (*Submitter, error) {
	s, closeSlot, err := w.newSlot()
	if err != nil {
		return nil, err
	}
	e := &Submitter{frontier: w.frontier, slot: s, close: closeSlot, note: w.noteRarely, here: map[key]bool{}}
	e.changed.L = &e.mu
	return e, nil
}

// Close closes the connections of the submitter, except the connection to the NATS server.
func (e *Submitter) Close() { e.close() }

// Submit adds the documents of sources. It reads them as fast as the frontier accepts them. Adding
// a source again has no effect.
func (e *Submitter) Submit(ctx context.Context, sources iter.Seq[verify.Source]) error {
	inner, cancel := undated(ctx)
	defer cancel()
	for s := range sources {
		if err := e.add(inner, &s); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (e *Submitter) add(ctx context.Context, s *verify.Source) error {
	d := &reader{e: e, name: s.Name, batch: &batch{f: e.frontier, note: e.note, inject: e.slot.worker.options.Inject}}
	for found, trouble := range e.linksOf(ctx, s) {
		if ctx.Err() != nil {
			break
		}
		if err := d.add(ctx, &found, trouble); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err() // ctx may have truncated the document
	}
	if len(d.texts) > 0 || d.parts == 0 {
		if err := d.store(ctx); err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.Open != nil {
		e.progress.Documents++
	}
	return nil
}

// linksOf yields the links in a source. For a source without a document, it yields the URL of the
// source.
func (e *Submitter) linksOf(ctx context.Context, s *verify.Source) iter.Seq2[verify.Found, error] {
	if s.Open != nil {
		return e.slot.checker.Links(ctx, *s)
	}
	return func(yield func(verify.Found, error) bool) { yield(e.slot.checker.Typed(s.URL), nil) }
}

// maxPart limits the number of lines that are stored under one key. A reader stores a long document
// under several keys, so that memory does not depend on the document's length.
const maxPart = 4096

// reader reads the links of one document. It adds the target of each link to the frontier, and
// stores the links as lines.
type reader struct {
	e     *Submitter
	name  string
	batch *batch
	texts [][]byte // lines that are not stored yet
	links int      // number of links in texts
	parts int      // number of keys so far
	last  key      // last key
}

// add adds a link of the document. If a part of the document is unreadable, trouble is the error,
// and add stores the error instead of a link.
func (d *reader) add(ctx context.Context, found *verify.Found, trouble error) (err error) {
	l := line{document: d.name, failure: trouble}
	if trouble == nil {
		d.links++
		l = line{found: *found}
		if l.response, err = d.e.target(ctx, d.batch, found); err != nil {
			return err
		}
	}
	text, err := encodeLine(d.e.slot.checker, &l)
	if err != nil {
		return err
	}
	if d.texts = append(d.texts, text); len(d.texts) == maxPart {
		return d.store(ctx)
	}
	return nil
}

// store stores the lines that are not stored yet. Their key depends on all earlier lines, so a
// document always has the same keys, and the frontier stores it once.
func (d *reader) store(ctx context.Context) error {
	head := []byte(d.name + "\n")
	if d.parts > 0 {
		head = append(head, d.last[:]...)
	}
	d.last = key(first16(append(head, bytes.Join(d.texts, nil)...)))
	if err := d.batch.lines(ctx, d.last, d.texts, false); err != nil {
		return err
	}
	if err := d.batch.flush(ctx); err != nil {
		return err
	}
	d.e.mu.Lock()
	defer d.e.mu.Unlock()
	d.e.keys = append(d.e.keys, d.last)
	d.e.progress.Links += d.links
	d.e.changed.Broadcast()
	d.parts++
	d.texts, d.links = d.texts[:0], 0
	return nil
}

// target adds the target of a link. If the link can be read in another way, it adds that target
// too. If a target must not be in the frontier, the submitter checks it and returns the response
// for the link.
func (e *Submitter) target(ctx context.Context, b *batch, found *verify.Found) (answer *verify.Response, err error) {
	a := e.slot.checker
	if found.Target.URL.IsZero() {
		return nil, nil
	}
	if !a.Keeps(&found.Target) {
		answer = e.slot.askHere(ctx, found)
		e.mu.Lock()
		e.here[baseKey(a, &found.Target)] = true
		e.mu.Unlock()
		return answer, ctx.Err()
	}
	if err := b.target(ctx, a, found, ""); err != nil {
		return nil, err
	}
	if other, ok := a.Other(found); ok && !other.Target.URL.IsZero() && a.Keeps(&other.Target) {
		return nil, b.target(ctx, a, &other, "")
	}
	return nil, nil
}

// Run adds the documents of sources. It yields the results of their links in order, then the
// results of the pages below typed URLs. Run waits for verdicts, so workers must run. If Run ends
// early, [Submitter.Err] returns the reason.
func (e *Submitter) Run(ctx context.Context, sources iter.Seq[verify.Source]) iter.Seq[verify.Result] {
	return func(yield func(verify.Result) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var reading sync.WaitGroup
		reading.Go(func() {
			err := e.Submit(ctx, sources)
			e.mu.Lock()
			defer e.mu.Unlock()
			e.allRead = true
			e.err = errors.Join(e.err, err)
			e.changed.Broadcast()
		})
		stop := context.AfterFunc(ctx, func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.changed.Broadcast()
		})
		err := e.yieldUndated(ctx, yield)
		cancel()
		stop()
		reading.Wait()
		if err != nil {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.err = err
		}
	}
}

// Err returns the error that ended Run or Results early, or nil.
func (e *Submitter) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

var errStop = errors.New("fleet: the caller wants no more results")

func (e *Submitter) yieldUndated(ctx context.Context, yield func(verify.Result) bool) error {
	inner, cancel := undated(ctx)
	defer cancel()
	err := e.yieldAll(inner, yield)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return err
}

func (e *Submitter) yieldAll(ctx context.Context, yield func(verify.Result) bool) error {
	pages := []address{}
	known := map[key]bool{}
	each := func(l *line, verdicts *responses) error {
		if t := &l.found.Target; l.failure == nil && l.response == nil && !t.First.IsZero() {
			page := l.found
			page.Fragment = ""
			if at := e.frontier.addressOf(e.slot.checker, &page); !known[at.key] {
				known[at.key] = true
				pages = append(pages, at)
			}
		}
		r, err := e.result(ctx, l, verdicts)
		if err == nil && !yield(r) {
			err = errStop
		}
		return err
	}
	err := error(nil)
	for i := 0; err == nil; i++ {
		document, ok := e.document(ctx, i)
		if !ok {
			break
		}
		err = e.eachLine(ctx, document, each)
	}
	for ; err == nil && ctx.Err() == nil && len(pages) > 0; pages = pages[1:] {
		if _, err = e.await(ctx, pages[0]); err == nil {
			err = e.eachLine(ctx, pages[0].key, each)
		}
	}
	if errors.Is(err, errStop) {
		return nil
	}
	return errors.Join(err, ctx.Err())
}

// document waits until the i-th key is known. ok is false after the last key.
func (e *Submitter) document(ctx context.Context, i int) (k key, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i >= len(e.keys) && !e.allRead && ctx.Err() == nil {
		e.changed.Wait()
	}
	if i >= len(e.keys) || ctx.Err() != nil {
		return k, false
	}
	return e.keys[i], true
}

// eachLine calls the function each for the lines in a document or page, with the responses to the
// lines. It waits for the verdicts of the targets.
func (e *Submitter) eachLine(ctx context.Context, document key, each func(*line, *responses) error) error {
	for number := 0; ; number++ {
		m, err := tryFor(ctx, e.note, func() (*jetstream.RawStreamMsg, error) {
			return e.frontier.links.GetLastMsgForSubject(ctx, e.frontier.pieceSubject(document, number))
		})
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := e.eachOf(ctx, m.Data, true, each); err != nil {
			return err
		}
	}
}

// eachOf calls the function each for the lines of a message. It looks up the verdicts of many lines
// together.
func (e *Submitter) eachOf(ctx context.Context, text []byte, wait bool, each func(*line, *responses) error) error {
	lines, err := decodeLines(e.slot.checker, text)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(lines, maxBatch/2) {
		known, err := e.responsesFor(ctx, part, wait)
		if err != nil {
			return err
		}
		for i := range part {
			if err := each(&part[i], known); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Submitter) result(ctx context.Context, l *line, known *responses) (r verify.Result, err error) {
	if l.failure != nil {
		return verify.Result{Document: l.document, Err: l.failure}, nil
	}
	a := e.slot.checker
	answer := l.response
	if answer == nil {
		if answer, err = known.of(ctx, &l.found); err != nil {
			return r, err
		}
	} else {
		l.found.Target.URL = cmpURL(l.found.Target.URL, l.found.Result.URL)
	}
	r = a.Result(&l.found, answer)
	if other, ok := a.Other(&l.found); ok && r.Verdict == verify.Dead && a.Keeps(&other.Target) {
		better, err := known.of(ctx, &other)
		if err != nil {
			return r, err
		}
		if found := a.Result(&other, better); found.Verdict == verify.Alive || found.Verdict == verify.Moved {
			r = found
		}
	}
	return r, nil
}

func cmpURL(a, b locus.URL) locus.URL {
	if a.IsZero() {
		return b
	}
	return a
}

// Results yields the results of all links in the frontier, in the order in which documents and
// pages were stored. A link without a verdict is [verify.Unknown]. A damaged message yields a
// result with an error. If Results ends early, [Submitter.Err] returns the reason.
func (e *Submitter) Results(ctx context.Context) iter.Seq[verify.Result] {
	return func(yield func(verify.Result) bool) {
		ctx, cancel := undated(ctx)
		defer cancel()
		filter := e.frontier.subject(linkStream, ">")
		for next := uint64(1); ; {
			m, err := tryFor(ctx, e.note, func() (*jetstream.RawStreamMsg, error) {
				return e.frontier.links.GetMsg(ctx, next, jetstream.WithGetMsgSubject(filter))
			})
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return
			}
			if err == nil {
				next = m.Sequence + 1
				err = e.eachOf(ctx, m.Data, false, func(l *line, known *responses) error {
					r, err := e.result(ctx, l, known)
					if err == nil && !yield(r) {
						err = errStop
					}
					return err
				})
			}
			if errors.Is(err, errLine) {
				// The message is untrusted, and the next one may be intact.
				err = nil
				if !yield(verify.Result{Document: m.Subject, Err: errLine}) {
					err = errStop
				}
			}
			if errors.Is(err, errStop) {
				return
			}
			if err != nil {
				e.mu.Lock()
				defer e.mu.Unlock()
				e.err = err
				return
			}
		}
	}
}

// Progress returns the progress of Run. It counts the verdicts of all workers.
func (e *Submitter) Progress() verify.Progress {
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	status, err := e.frontier.Status(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.progress
	if err == nil {
		p.Found, p.Done = int(status.Targets), int(status.Verdicts)
		p.Waiting = p.Found - p.Done
		p.Found, p.Done = p.Found+len(e.here), p.Done+len(e.here)
		for _, c := range status.Workers {
			p.Dead += c.Verdicts[verify.Dead.String()]
			p.Requests += c.Requests
		}
	}
	return p
}

// Slowest returns nil, because a fleet does not measure hosts.
func (e *Submitter) Slowest(int) []verify.HostTime { return nil }
