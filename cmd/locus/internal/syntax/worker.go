package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bulk"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/lines"
	"github.com/locus-url/locus/internal/octet"
)

// worker processes the inputs in one block of lines at a time.
type worker struct {
	*base.Part
	answerer
	run     *bulkRun
	finder  *lines.Finder
	line    []byte         // unchanged input line, without the newline
	start   int            // start offset of the URL in line
	end     int            // end offset of the URL in line
	url     []byte         // buffer for a URL that the line contains in escaped form
	batch   bulk.Batch     // pieces of Text for the collector, if there is one
	groups  map[string]int // maps a group name to its index in batch, because most groups occur many times in a block
	invalid []byte         // records for the --invalid file
	wrong   int64          // number of inputs that are not URLs
	cut     bool           // line contains only the beginning of an input line that is too long
}

func (r *bulkRun) newWorker() *worker {
	w := &worker{Part: r.app.NewPart(), run: r}
	if r.collect != nil && r.collect.summary() {
		w.Flags.JSON = false // only the summary uses JSON; failures are plain messages
	}
	w.answerer = r.answerer(w)
	return w
}

func (w *worker) begin(source string) {
	w.Begin(source)
	clear(w.groups) // the names refer to Text, which the worker reuses
	w.batch.Reset()
	w.invalid, w.wrong = w.invalid[:0], 0
}

// answerBlock processes the lines of b.
func (w *worker) answerBlock(b *lines.Block) {
	w.begin(b.Source)
	w.finder = b.Finder
	w.LineNumber = int(b.Line) - 1
	if w.cut = b.Cut > 0; w.cut {
		w.LineNumber++
		w.line, w.start, w.end = b.Text, 0, len(b.Text)
		input := string(b.Text)
		w.answerInput(input, locus.NewSyntaxError(input, locus.MaxLen, "genericurl",
			fmt.Errorf("%w: %d bytes exceed the limit of %d", locus.ErrTooLong, b.Cut, locus.MaxLen)))
		return
	}
	for text := b.Text; len(text) > 0; {
		line := text
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			line, text = bytes.TrimSuffix(text[:end], []byte("\r")), text[end+1:]
		} else {
			text = nil
		}
		w.LineNumber++
		w.line, w.start, w.end = line, 0, len(line)
		url := line
		if w.finder != nil {
			var ok bool
			if url, ok = w.find(line); !ok {
				continue
			}
		}
		if isPlain(url) && w.quick(w, url) {
			continue
		}
		if w.Context.Err() != nil {
			return
		}
		// Copy the input, because errors may retain it.
		if input := string(url); w.finder != nil || strings.Trim(input, base.Blanks) != "" {
			w.answerInput(input, nil)
		}
	}
}

// find returns the URL in a line. If the line contains no URL, find handles the line and returns
// false.
func (w *worker) find(line []byte) (url []byte, ok bool) {
	if len(bytes.Trim(line, base.Blanks)) == 0 {
		return nil, false
	}
	var err error
	if w.start, w.end, err = w.finder.Find(line); err == nil {
		written := line[w.start:w.end]
		if url, err = w.finder.Decode(&w.url, written); err == nil {
			return url, true
		}
	}
	if errors.Is(err, lines.ErrNoURL) {
		w.pass(w)
	} else {
		w.failBy("field", string(line), err)
	}
	w.Out.Flush()
	return nil, false
}

// appendLine appends the line with its URL replaced.
func (w *worker) appendLine(b []byte, url string) []byte {
	if w.finder == nil {
		return append(append(b, url...), '\n')
	}
	b = w.finder.Append(append(b, w.line[:w.start]...), url)
	return append(append(b, w.line[w.end:]...), '\n')
}

// isPlain reports whether the line contains only the URL, without spaces or a wrapper.
func isPlain(line []byte) bool {
	const prefix = "url:"
	switch {
	case len(line) < len(prefix), line[0] <= ' ', line[len(line)-1] <= ' ', line[0] == '<':
		return false
	case line[0]|0x20 == prefix[0] && strings.EqualFold(octet.View(line[:len(prefix)]), prefix):
		return false
	}
	return true
}

// answerInput processes the URL in a line of a file.
func (w *worker) answerInput(input string, err error) {
	w.NoteBlanks(input)
	w.answer(strings.Trim(input, base.Blanks), err)
	w.Out.Flush()
}

// piece marks the end of w.Text as the end of a piece (a part of the result that a collector can
// count). The collector treats pieces with the same key as equal.
func (w *worker) piece(key string) {
	if w.run.collect == nil {
		return
	}
	w.batch.Keys = append(w.batch.Keys, w.run.hasher.KeyOf(key))
	w.batch.Ends = append(w.batch.Ends, len(w.Text))
}

// slowPiece is like the method piece, but for text that the caller wrote to Out.
func (w *worker) slowPiece(key string) {
	w.Out.Flush()
	w.piece(key)
}

// group counts an input in a group of the summary. The strings in name form the name of the group.
func (w *worker) group(name ...string) {
	start := len(w.Text)
	for _, part := range name {
		w.Text = append(w.Text, part...)
	}
	key := octet.View(w.Text[start:])
	if i, ok := w.groups[key]; ok {
		w.batch.Counts[i]++
		w.Text = w.Text[:start]
		return
	}
	if w.groups == nil {
		w.groups = map[string]int{}
	}
	w.groups[key] = len(w.batch.Counts)
	w.batch.Counts = append(w.batch.Counts, 1)
	w.Text = append(w.Text, '\n')
	w.piece(key)
}

// lone ends the current piece of the result, if there is one. The collector never treats this
// piece as equal to another piece.
func (w *worker) lone() {
	w.Out.Flush()
	before := 0
	if n := len(w.batch.Ends); n > 0 {
		before = w.batch.Ends[n-1]
	}
	if w.run.collect != nil && len(w.Text) > before {
		w.batch.Keys = append(w.batch.Keys, bulk.Key{})
		w.batch.Ends = append(w.batch.Ends, len(w.Text))
	}
}

// commit must be called in the order of blocks.
func (w *worker) commit() error {
	w.Out.Flush()
	if w.run.collect == nil {
		return nil
	}
	w.batch.Text = w.Text
	return w.run.collect.add(&w.batch)
}

func (w *worker) finish() {
	if w.run.collect != nil {
		w.Keep(w.batch.Ends, w.batch.New)
	}
}

// join must be called in the order of blocks. The block b is nil if the inputs are arguments.
func (w *worker) join(b *lines.Block) error {
	r := w.run
	if r.separated && !r.wrote && len(w.Text) > 0 {
		// There is no separator before the first result.
		w.Keep([]int{1, len(w.Text)}, []bool{false, true})
		r.wrote = true
	}
	if b != nil && b.Header != nil && r.headed {
		r.app.Out.Write(b.Header)
		r.app.Out.WriteByte('\n')
	}
	r.app.Join(w.Part)
	if err := r.invalid.add(w.invalid, w.wrong); err != nil {
		return err
	}
	if b != nil {
		if b.Err != nil {
			r.lines.Fail(b.Err)
		}
		if b.Wait || r.app.OutTTY {
			r.app.Out.Flush()
		}
		r.progress.show(b)
	}
	if r.app.OutputFailed() {
		return errOutput
	}
	return nil
}
