package mirror

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/mirror"
)

// eventLine describes the outcome for one resource as JSON.
type eventLine struct {
	URL    string        `json:"url"`
	File   *shape.Text   `json:"file"`
	Status mirror.Status `json:"status"`
	Size   *int64        `json:"size"`
	Digest *string       `json:"digest"`
	Error  *shape.Reason `json:"error"`
}

// summaryLine describes the outcome of a run as JSON.
type summaryLine struct {
	Added    int   `json:"added"`
	Changed  int   `json:"changed"`
	Same     int   `json:"same"`
	Gone     int   `json:"gone"`
	Failed   int   `json:"failed"`
	Deleted  int   `json:"deleted"`
	Excluded int   `json:"excluded"` // number of URLs that robots.txt excludes
	Loops    int   `json:"loops"`
	Bytes    int64 `json:"bytes"`
	Whole    bool  `json:"whole"` // all listings were complete
	Finished bool  `json:"finished"`
}

// report writes the outcome for one resource.
func (r *runner) report(e mirror.Event) {
	r.done++
	r.octets += e.Size
	r.progress.Update(r.octets, "%d files", r.done)
	file := ""
	if e.File != "" {
		file = filepath.Join(r.dir, filepath.FromSlash(e.File))
	}
	if e.Err != nil {
		r.a.RaiseStatus(statusOf(e.Err))
	}
	switch {
	case r.a.Flags.JSON:
		line := eventLine{URL: e.URL, Status: e.Status}
		if file != "" {
			line.File, line.Size, line.Digest = new(shape.Text(file)), &e.Size, &e.Digest
		}
		if e.Err != nil {
			reason := reasonOf(e.Err)
			line.Error = &reason
		}
		r.a.WriteJSON(line)
		r.a.FlushTerminal()
	case e.Status == mirror.Failed:
		text := base.Message(e.Err)
		if !strings.Contains(text, locus.MaskText(e.URL)) {
			text = e.URL + ": " + text
		}
		r.a.PrintError(text)
	case !r.a.Flags.Quiet && (e.Status != mirror.Same || r.all):
		fmt.Fprintf(r.a.Out, "%-7s %s\n", e.Status, term.Safe(file))
		r.a.FlushTerminal()
	}
}

// summarize writes the outcome of the run.
func (r *runner) summarize(s mirror.Summary, finished bool) {
	if r.a.Flags.JSON {
		r.a.WriteJSON(summaryLine{s.Added, s.Changed, s.Same, s.Gone, s.Failed, s.Deleted, s.Robots, s.Loops, s.Bytes, s.Complete, finished})
		return
	}
	if r.a.Flags.Quiet {
		return
	}
	var list []string
	for _, n := range []struct {
		count int
		what  string
	}{{s.Added, "added"}, {s.Changed, "changed"}, {s.Same, "unchanged"}, {s.Gone, "gone"}, {s.Deleted, "deleted"}, {s.Failed, "failed"}, {s.Robots, "excluded by robots.txt"}} {
		if n.count > 0 {
			list = append(list, fmt.Sprint(n.count, " ", n.what))
		}
	}
	if len(list) == 0 {
		list = []string{"nothing"}
	}
	fmt.Fprintf(r.a.Out, "%s; %s received\n", strings.Join(list, ", "), human.Size(s.Bytes))
	if finished && !s.Complete && (r.o.Delete || s.Gone > 0) {
		r.a.Note("some listings were incomplete, so removed files could not be detected there; nothing was deleted")
	}
	if s.Loops > 0 {
		r.a.Note("did not follow %d directories that repeat a parent directory (symbolic links)", s.Loops)
	}
}

func reasonOf(err error) shape.Reason {
	reason := base.NewReason(err)
	if file := (*mirror.FileError)(nil); errors.As(err, &file) {
		reason.Kind = base.KindFile
	}
	return reason
}

func statusOf(err error) int {
	return base.StatusOf(reasonOf(err).Kind)
}
