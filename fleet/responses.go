package fleet

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/locus-url/locus/verify"
)

// responses holds the verdicts for a group of lines.
type responses struct {
	e       *Submitter
	wait    bool // wait for missing verdicts; if false, the verdict of such a link is Unknown
	known   map[address]*verdict
	missing []address
}

// responsesFor looks up the verdicts of lines.
func (e *Submitter) responsesFor(ctx context.Context, lines []line, wait bool) (*responses, error) {
	k := &responses{e: e, wait: wait, known: map[address]*verdict{}}
	for i := range lines {
		l := &lines[i]
		if l.readErr != nil || l.response != nil || l.found.Target.URL.IsZero() {
			continue
		}
		k.missing = append(k.missing, e.frontier.addressOf(e.slot.checker, &l.found))
		if other, ok := e.slot.checker.Other(&l.found); ok && !other.Target.URL.IsZero() {
			k.missing = append(k.missing, e.frontier.addressOf(e.slot.checker, &other))
		}
	}
	return k, k.lookUp(ctx, k.missing)
}

// lookUp requests the verdicts of the targets at the addresses in list.
func (k *responses) lookUp(ctx context.Context, list []address) error {
	found, err := tryFor(ctx, k.e.note, func() (map[address]*verdict, error) { return k.e.frontier.verdictsOf(ctx, list) })
	if err != nil {
		return err
	}
	maps.Copy(k.known, found)
	k.missing = slices.DeleteFunc(k.missing, func(at address) bool { return found[at] != nil })
	return nil
}

func (k *responses) responseFor(ctx context.Context, found *verify.Found) (*verify.Response, error) {
	if found.Target.URL.IsZero() {
		return new(verify.Response), nil
	}
	return k.responseAt(ctx, k.e.frontier.addressOf(k.e.slot.checker, found))
}

func (k *responses) responseAt(ctx context.Context, at address) (*verify.Response, error) {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second/2) {
		if v := k.known[at]; v != nil {
			return &v.response, nil
		}
		if !k.wait {
			return new(verify.Response), nil
		}
		list := k.missing
		if k.e.frontier.settings.Replicas > 1 {
			list = []address{at} // each address is a request to the leader
		}
		if err := k.lookUp(ctx, list); err != nil {
			return nil, err
		}
		if k.known[at] == nil && sleep(SystemClock{}, pause, ctx.Done()) {
			return nil, ctx.Err()
		}
	}
}

// awaitResponse waits for the verdict of the target at the given address.
func (e *Submitter) awaitResponse(ctx context.Context, at address) (*verify.Response, error) {
	k := &responses{e: e, wait: true, known: map[address]*verdict{}, missing: []address{at}}
	return k.responseAt(ctx, at)
}
