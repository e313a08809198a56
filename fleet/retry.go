package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

// A retry is a message in the target stream. Its subject is the subject of the target, with
// retryWord before the key. The last word is the sequence number of the verdict to replace. The
// stream stores each retry once, and workers read retries as they read targets. A retry is
// finished when the target has a newer verdict.
const retryWord = "retry"

func (f *Frontier) retrySubject(at address, verdict uint64) string {
	words := slices.Insert(at.words(), 2, retryWord)
	return f.subject(targetStream, append(words, fmt.Sprint(verdict))...)
}

// parseTarget parses the subject of a target or a retry. For a retry, the result verdict is the
// sequence number of the verdict to replace. For a target, it is 0.
func (f *Frontier) parseTarget(subject string) (at address, verdict uint64, err error) {
	words := strings.Split(subject, ".")
	if len(words) == 8 && words[5] == retryWord {
		verdict, err = strconv.ParseUint(words[7], 10, 64)
		if err != nil || verdict == 0 || strconv.FormatUint(verdict, 10) != words[7] {
			return at, 0, errSubject
		}
		subject = strings.Join(append(words[:5], words[6]), ".")
	}
	at, err = f.parseSubject(targetStream, subject)
	return at, verdict, err
}

// Retry schedules a new check of the targets with the verdict [verify.Warning] or
// [verify.Denied]. If bad is true, it includes all targets with a bad verdict
// ([verify.Verdict.IsBad]). It returns the number of targets. A verdict stays until a worker
// stores the new verdict. Retry may be called while workers run. If it is called repeatedly,
// workers still check each waiting target only once.
func (f *Frontier) Retry(ctx context.Context, bad bool) (count int, err error) {
	ctx, cancel := withoutDeadline(ctx)
	defer cancel()
	info, err := tryQuietly(ctx, func() (*jetstream.StreamInfo, error) { return f.verdicts.Info(ctx) })
	if err != nil {
		return 0, err
	}
	b := &batch{f: f}
	filter := f.subject(verdictStream, ">")
	for next := uint64(1); ; {
		m, err := tryQuietly(ctx, func() (*jetstream.RawStreamMsg, error) {
			return f.verdicts.GetMsg(ctx, next, jetstream.WithGetMsgSubject(filter))
		})
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return count, err
		}
		if err != nil || m.Sequence > info.State.LastSeq { // m was stored after the call began
			return count, b.flush(ctx)
		}
		next = m.Sequence + 1
		var answer verify.Response
		at, err := f.parseSubject(verdictStream, m.Subject)
		if err != nil || json.Unmarshal(m.Data, &answer) != nil || !mayChange(answer.Outcome.Verdict, bad) {
			continue
		}
		if err := b.addMessage(ctx, f.retrySubject(at, m.Sequence), nil); err != nil {
			return count, err
		}
		count++
	}
}

// mayChange reports whether a new check may change the verdict.
func mayChange(v verify.Verdict, bad bool) bool {
	return v == verify.Warning || v == verify.Denied || bad && v.IsBad()
}

// infoRequest requests a stream's state and the number of subjects that match a filter.
type infoRequest struct {
	Filter string `json:"subjects_filter"`
	Offset int    `json:"offset"` // index of the first subject that the server lists
}

// countRetries returns the number of retries in the target stream. There may be millions of
// retries. So the request has an offset beyond the last subject, and the list in the response is
// empty.
func (f *Frontier) countRetries(ctx context.Context) (uint64, error) {
	filter := f.subject(targetStream, "*", "*", retryWord, "*", "*")
	text, err := json.Marshal(infoRequest{filter, math.MaxInt32})
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, batchTime)
	defer cancel()
	m, err := f.nc.RequestWithContext(ctx, "$JS.API.STREAM.INFO."+f.stream(targetStream), text)
	if err != nil {
		return 0, err
	}
	var info struct {
		Total uint64              `json:"total"`
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(m.Data, &info); err != nil {
		return 0, errBatch
	}
	if info.Error != nil {
		return 0, info.Error
	}
	return info.Total, nil
}

// retryJob returns the job of a retry. It returns nil if the retry is finished or the target
// can't be decoded.
func (w *Worker) retryJob(ctx context.Context, at address, replaced, sequence uint64) (*job, error) {
	v, err := w.frontier.verdictOf(ctx, at)
	if err != nil || v == nil || v.sequence != replaced {
		return nil, err
	}
	return w.recheckJob(ctx, at, v, sequence)
}
