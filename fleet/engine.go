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
// and other machines must not receive their URLs.
type Submitter struct {
	frontier *Frontier
	slot     *slot
	close    func()
	note     func(format string, args ...any)

	mu          sync.Mutex
	changed     sync.Cond
	keys        []key // keys of the stored documents, in order; a long document has several keys
	allRead     bool
	err         error
	progress    verify.Progress
	checkedHere map[key]bool // targets that the submitter checked itself
}

// NewSubmitter returns a submitter that opens URLs with the clients of the worker w. The worker
// need not run. The caller must call [Submitter.Close].
func NewSubmitter(w *Worker) (*Submitter, error) {
	s, closeSlot, err := w.newSlot()
	if err != nil {
		return nil, err
	}
	e := &Submitter{frontier: w.frontier, slot: s, close: closeSlot, note: w.noteRarely, checkedHere: map[key]bool{}}
	e.changed.L = &e.mu
	return e, nil
}

// Close closes the connections of the submitter, except the connection to the NATS server.
func (e *Submitter) Close() { e.close() }

// Submit adds the documents of sources. It reads the documents as fast as the frontier accepts
// their links. Adding a source again has no effect.
func (e *Submitter) Submit(ctx context.Context, sources iter.Seq[verify.Source]) error {
	inner, cancel := withoutDeadline(ctx)
	defer cancel()
	for s := range sources {
		if err := e.addDocument(inner, &s); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (e *Submitter) addDocument(ctx context.Context, s *verify.Source) error {
	d := &reader{e: e, name: s.Name, batch: &batch{f: e.frontier, note: e.note, inject: e.slot.worker.options.Inject}}
	for found, readErr := range e.linksOf(ctx, s) {
		if ctx.Err() != nil {
			break
		}
		if err := d.addLink(ctx, &found, readErr); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err() // ctx may have truncated the document
	}
	if len(d.pending) > 0 || d.keyCount == 0 {
		if err := d.storeLines(ctx); err != nil {
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
	e            *Submitter
	name         string
	batch        *batch
	pending      [][]byte // lines that are not stored yet
	pendingLinks int      // number of links in pending
	keyCount     int      // number of keys of the document so far
	lastKey      key      // last key of the document
}

// addLink adds a link of the document. If a part of the document is unreadable, readErr is the
// error, and addLink stores the error instead of a link.
func (d *reader) addLink(ctx context.Context, found *verify.Found, readErr error) (err error) {
	l := line{document: d.name, readErr: readErr}
	if readErr == nil {
		d.pendingLinks++
		l = line{found: *found}
		if l.response, err = d.e.addTarget(ctx, d.batch, found); err != nil {
			return err
		}
	}
	text, err := encodeLine(d.e.slot.checker, &l)
	if err != nil {
		return err
	}
	if d.pending = append(d.pending, text); len(d.pending) == maxPart {
		return d.storeLines(ctx)
	}
	return nil
}

// storeLines stores the pending lines. Their key depends on all earlier lines. So a document
// always has the same keys, and the frontier stores the document once.
func (d *reader) storeLines(ctx context.Context) error {
	head := []byte(d.name + "\n")
	if d.keyCount > 0 {
		head = append(head, d.lastKey[:]...)
	}
	d.lastKey = key(hash16(append(head, bytes.Join(d.pending, nil)...)))
	if err := d.batch.addLines(ctx, d.lastKey, d.pending, false); err != nil {
		return err
	}
	if err := d.batch.flush(ctx); err != nil {
		return err
	}
	d.e.mu.Lock()
	defer d.e.mu.Unlock()
	d.e.keys = append(d.e.keys, d.lastKey)
	d.e.progress.Links += d.pendingLinks
	d.e.changed.Broadcast()
	d.keyCount++
	d.pending, d.pendingLinks = d.pending[:0], 0
	return nil
}

// addTarget adds the target of a link. If the link has a second interpretation, addTarget also
// adds the second target. If the target must not be in the frontier, the submitter checks the
// target, and addTarget returns the response for the link.
func (e *Submitter) addTarget(ctx context.Context, b *batch, found *verify.Found) (answer *verify.Response, err error) {
	a := e.slot.checker
	if found.Target.URL.IsZero() {
		return nil, nil
	}
	if !a.Keeps(&found.Target) {
		answer = e.slot.checkHere(ctx, found)
		e.mu.Lock()
		e.checkedHere[baseKey(a, &found.Target)] = true
		e.mu.Unlock()
		return answer, ctx.Err()
	}
	if err := b.addTarget(ctx, a, found, ""); err != nil {
		return nil, err
	}
	if other, ok := a.Other(found); ok && !other.Target.URL.IsZero() && a.Keeps(&other.Target) {
		return nil, b.addTarget(ctx, a, &other, "")
	}
	return nil, nil
}

// Run adds each document in the sequence sources to the run. It yields the results for the links in
// these documents, in order. Then it yields the results for the pages below URLs that the user
// typed. Run waits for verdicts, so workers must be running. If Run ends early, [Submitter.Err]
// returns the reason.
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
	inner, cancel := withoutDeadline(ctx)
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
	visit := func(l *line, verdicts *responses) error {
		if t := &l.found.Target; l.readErr == nil && l.response == nil && !t.First.IsZero() {
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
		document, ok := e.documentKey(ctx, i)
		if !ok {
			break
		}
		err = e.visitLines(ctx, document, visit)
	}
	for ; err == nil && ctx.Err() == nil && len(pages) > 0; pages = pages[1:] {
		if _, err = e.awaitResponse(ctx, pages[0]); err == nil {
			err = e.visitLines(ctx, pages[0].key, visit)
		}
	}
	if errors.Is(err, errStop) {
		return nil
	}
	return errors.Join(err, ctx.Err())
}

// documentKey waits until the i-th key is known. The result ok is false after the last key.
func (e *Submitter) documentKey(ctx context.Context, i int) (k key, ok bool) {
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

// visitLines calls visit for each line of a document or page, with the responses for the lines.
// It waits for the verdicts of the targets.
func (e *Submitter) visitLines(ctx context.Context, document key, visit func(*line, *responses) error) error {
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
		if err := e.visitMessage(ctx, m.Data, true, visit); err != nil {
			return err
		}
	}
}

// visitMessage calls visit for each line of a message. It looks up the verdicts of many lines
// with one request.
func (e *Submitter) visitMessage(ctx context.Context, text []byte, wait bool, visit func(*line, *responses) error) error {
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
			if err := visit(&part[i], known); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Submitter) result(ctx context.Context, l *line, known *responses) (r verify.Result, err error) {
	if l.readErr != nil {
		return verify.Result{Document: l.document, Err: l.readErr}, nil
	}
	a := e.slot.checker
	answer := l.response
	if answer == nil {
		if answer, err = known.responseFor(ctx, &l.found); err != nil {
			return r, err
		}
	} else {
		l.found.Target.URL = cmpURL(l.found.Target.URL, l.found.Result.URL)
	}
	r = a.Result(&l.found, answer)
	if other, ok := a.Other(&l.found); ok && r.Verdict == verify.Dead && a.Keeps(&other.Target) {
		better, err := known.responseFor(ctx, &other)
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
// pages were stored. For a link without a verdict, the verdict is [verify.Unknown]. For a damaged
// message, Results yields a result with an error. If Results ends early, [Submitter.Err] returns
// the reason.
func (e *Submitter) Results(ctx context.Context) iter.Seq[verify.Result] {
	return func(yield func(verify.Result) bool) {
		ctx, cancel := withoutDeadline(ctx)
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
				err = e.visitMessage(ctx, m.Data, false, func(l *line, known *responses) error {
					r, err := e.result(ctx, l, known)
					if err == nil && !yield(r) {
						err = errStop
					}
					return err
				})
			}
			if errors.Is(err, errLine) {
				// The message is untrusted, and the next message may be intact.
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

// Progress returns the progress of Run. It includes the verdicts of all workers.
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
		p.Found, p.Done = p.Found+len(e.checkedHere), p.Done+len(e.checkedHere)
		for _, c := range status.Workers {
			p.Dead += c.Verdicts[verify.Dead.String()]
			p.Requests += c.Requests
		}
	}
	return p
}

// Slowest returns nil, because a fleet does not measure hosts.
func (e *Submitter) Slowest(int) []verify.HostTime { return nil }
