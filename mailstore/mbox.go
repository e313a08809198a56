package mailstore

import "bytes"

// entry is one message of an mbox.
type entry struct {
	header header
	octets int64 // where the message begins, behind its From_ line
	end    int64 // where it ends, without the empty line that the mbox adds
	next   int64 // where the next From_ line is, or the end of the file
	length bool  // its end is where its Content-Length says
	cut    bool  // it is the last one, and there was to be more of it
}

// entry reads the message whose From_ line is at at. How it ends depends on
// nothing that is before it, and so it is the same whoever asks.
func (w *window) entry(at int64) (e entry) {
	_, e.octets, _ = w.line(at)
	e.header = w.header(e.octets, true)
	if w.bySize(&e) {
		return e
	}
	body := e.header.body
	e.next = w.nextFrom(body, e.header.ended)
	e.end = e.next
	if e.header.ended {
		e.end -= w.emptyBefore(e.next, body)
	}
	if e.next == w.size {
		e.cut = !e.header.ended || !w.has(w.size-1, "\n") || e.header.length > w.size-body
	}
	return e
}

// bySize ends e where its Content-Length says, if a From_ line or the end of the
// file follows there.
func (w *window) bySize(e *entry) bool {
	body, length := e.header.body, e.header.length
	if !e.header.ended || length < 0 || length > w.size-body {
		return false
	}
	end := body + length
	at, starts := end, length == 0 || w.has(end-1, "\n")
	// Some count the line end that ends the last line, and some don't; and there is
	// the empty line.
	for range 2 {
		if n := w.lineEnd(at); n > 0 {
			at, starts = at+n, true
		}
	}
	if at < w.size && !(starts && w.isFrom(at, true)) {
		return false
	}
	e.end, e.next, e.length = end, at, true
	return true
}

// nextFrom returns where the next From_ line from at on is, or the end of the
// file. at begins a line; empty: behind an empty one.
func (w *window) nextFrom(at int64, empty bool) int64 {
	if w.isFrom(at, empty) {
		return at
	}
	body := at
	for {
		i := w.index(at, w.size, []byte("\nFrom "))
		if i < 0 {
			return w.size
		}
		if at = i + 1; w.isFrom(at, w.emptyBefore(at, body) > 0) {
			return at
		}
	}
}

// isFrom reports whether the line at at, which is its start, is a From_ line;
// empty: an empty line is before it.
func (w *window) isFrom(at int64, empty bool) bool {
	if !w.has(at, "From ") {
		return false
	}
	text, next, _ := w.line(at)
	dated := isDated(text)
	if dated && empty {
		return true
	}
	if !dated && !empty {
		return false
	}
	text, _, _ = w.line(next)
	return isField(text)
}

// isDated reports whether text has a time and a year in it, as a From_ line does:
// "From joe@host.dom Sat Jan  3 01:05:34 1996", in whatever order and with
// whatever else.
func isDated(text []byte) bool {
	return isTimed(text) && (hasYear(text, "19") || hasYear(text, "20"))
}

func isTimed(text []byte) bool {
	for i := 1; i+1 < len(text); i++ {
		if text[i] == ':' && isDigit(text[i-1]) && isDigit(text[i+1]) {
			return true
		}
	}
	return false
}

// hasYear reports whether text has a word of four digits that begins with century.
func hasYear(text []byte, century string) bool {
	for word := range bytes.FieldsSeq(text) {
		if len(word) == 4 && string(word[:2]) == century && isDigit(word[2]) && isDigit(word[3]) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// mostQuotes is how many quoted lines of a message are unquoted.
const mostQuotes = 1 << 20

// quotes returns where the ">" are that are to be taken from the lines of e that
// begin with some of them and "From ", counted from e.octets; none if nothing is
// quoted there, or too much. inDoubt counts the lines with one ">", which some
// programs leave as they are.
func (w *window) quotes(e *entry) (list []int64, inDoubt int) {
	body := e.header.body
	if e.length && (w.has(body, "From ") || w.index(body, e.end, []byte("\nFrom ")) >= 0) {
		return nil, 0
	}
	for at := body; at >= 0 && at < e.end; {
		if n := w.quoted(at, e.end); n > 0 {
			list = append(list, at-e.octets)
			if n == 1 {
				inDoubt++
			}
			if len(list) > mostQuotes {
				return nil, inDoubt
			}
		}
		if at = w.index(at, e.end, []byte("\n>")); at >= 0 {
			at++
		}
	}
	return list, inDoubt
}

// quoted returns how many ">" are before "From " in the line at at, or 0 if it is
// no quoted line.
func (w *window) quoted(at, end int64) int {
	text := w.from(at, mostLine)
	text = text[:min(int64(len(text)), end-at, mostLine)]
	rest := bytes.TrimLeft(text, ">")
	if !bytes.HasPrefix(rest, []byte("From ")) {
		return 0
	}
	return len(text) - len(rest)
}
