package message

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file implements a simple mbox reader for comparison, which reads a text in memory line
// by line.

type slowLine struct {
	start, next int
	text        string // without its end
	ended       bool
}

func slowLines(text string) (list []slowLine) {
	at := 0
	for line := range strings.Lines(text) {
		bare, ended := strings.CutSuffix(line, "\n")
		list = append(list, slowLine{at, at + len(line), strings.TrimSuffix(bare, "\r"), ended})
		at += len(line)
	}
	return list
}

var (
	slowField  = regexp.MustCompile(`^[!-9;-~]+[ \t]*:`)
	slowTime   = regexp.MustCompile(`[0-9]:[0-9]`)
	slowYear   = regexp.MustCompile(`(^|[ \t\v\f\r\x{85}\x{a0}])(19|20)[0-9][0-9]($|[ \t\v\f\r\x{85}\x{a0}])`)
	slowQuoted = regexp.MustCompile(`^>+From `)
)

// slowIsFrom reports whether line i is a From_ line: "From " after a blank line with a date or
// before a header field, or anywhere with both.
func slowIsFrom(lines []slowLine, i int, empty bool) bool {
	if i >= len(lines) || !strings.HasPrefix(lines[i].text, "From ") || slowField.MatchString(lines[i].text) {
		return false
	}
	signs := 0
	if slowTime.MatchString(lines[i].text) && slowYear.MatchString(lines[i].text) {
		signs++
	}
	if i+1 < len(lines) && slowField.MatchString(lines[i+1].text) {
		signs++
	}
	return signs == 2 || empty && signs == 1
}

// slowMbox returns the messages of an mbox.
func slowMbox(text string) (list []MboxMessage) {
	lines := slowLines(text)
	for i := 0; i < len(lines); {
		var e MboxMessage
		e, i = slowMessage(text, lines, i)
		list = append(list, e)
	}
	return list
}

func slowMessage(text string, lines []slowLine, i int) (MboxMessage, int) {
	e := MboxMessage{From: int64(lines[i].start), Header: int64(lines[i].next)}
	i++
	var fields []string
	length, ended := int64(-1), false
	for ; i < len(lines) && !ended; i++ {
		line := lines[i].text
		switch {
		case line == "":
			ended = lines[i].ended
		case line[0] == ' ' || line[0] == '\t':
			if len(fields) > 0 {
				fields[len(fields)-1] += "\n" + line
			}
			continue
		case slowField.MatchString(line):
			fields = append(fields, line)
			continue
		case strings.HasPrefix(line, ">From ") || strings.HasPrefix(line, "From ") && !slowIsFrom(lines, i, false):
			fields = append(fields, "")
			continue
		}
		if line == "" {
			i++
		}
		break
	}
	body := len(text)
	if i < len(lines) {
		body = lines[i].start
	}
	e.Body = int64(body)
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ":")
		switch strings.ToLower(strings.TrimRight(name, " \t")) {
		case "message-id":
			for _, id := range MessageIDs(value) {
				if len(value) <= maxIDField && len(e.IDs) < maxIDs && !slices.Contains(e.IDs, id) {
					e.IDs = append(e.IDs, id)
				}
			}
		case "content-length":
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
			if err == nil && length < 0 {
				length = int64(n)
			}
		}
	}
	if ended {
		if next := slowBySize(text, lines, &e, length); next >= 0 {
			return e, next
		}
	}
	next := i
	for next < len(lines) && !slowIsFrom(lines, next, next > i && lines[next-1].text == "" || next == i && ended) {
		next++
	}
	e.Next = int64(len(text))
	if next < len(lines) {
		e.Next = int64(lines[next].start)
	}
	e.End = e.Next
	if ended && next > i && lines[next-1].text == "" && lines[next-1].ended {
		e.End = int64(lines[next-1].start)
	}
	if next == len(lines) {
		e.Cut = !ended || !strings.HasSuffix(text, "\n") || length > int64(len(text)-body)
	}
	return e, next
}

// slowBySize ends e at its Content-Length, if the end of the mbox or a From_ line follows
// after up to two line ends. It returns the next line, or -1.
func slowBySize(text string, lines []slowLine, e *MboxMessage, length int64) int {
	if length < 0 || length > int64(len(text))-e.Body {
		return -1
	}
	end := int(e.Body + length)
	at := end
	for range 2 {
		if strings.HasPrefix(text[at:], "\r\n") {
			at++
		}
		if strings.HasPrefix(text[at:], "\n") {
			at++
		}
	}
	next := slices.IndexFunc(lines, func(l slowLine) bool { return l.start == at })
	if at == len(text) {
		next = len(lines)
	}
	if next < 0 || next < len(lines) && !slowIsFrom(lines, next, true) {
		return -1
	}
	e.End, e.Next, e.Sized = int64(end), int64(at), true
	return next
}

// slowUnquote removes one ">" from the quoted lines of a body.
func slowUnquote(body string) string {
	var text strings.Builder
	for line := range strings.Lines(body) {
		if slowQuoted.MatchString(line) {
			line = line[1:]
		}
		text.WriteString(line)
	}
	return text.String()
}
