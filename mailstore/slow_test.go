package mailstore

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus/message"
)

// This is how an mbox is read, for reading only: all of it in memory, line by line.

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

// slowIsFrom: "From " with an empty line before it and a date or a header field
// behind it, or with both of these.
func slowIsFrom(lines []slowLine, i int, empty bool) bool {
	if i >= len(lines) || !strings.HasPrefix(lines[i].text, "From ") {
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

// slowEntries takes an mbox apart.
func slowEntries(text string) (list []entry) {
	lines := slowLines(text)
	for i := 0; i < len(lines); {
		var e entry
		e, i = slowEntry(text, lines, i)
		list = append(list, e)
	}
	return list
}

func slowEntry(text string, lines []slowLine, i int) (entry, int) {
	e := entry{octets: int64(lines[i].next)}
	i++
	var fields []string
	e.header.length = -1
	for ; i < len(lines) && !e.header.ended; i++ {
		line := lines[i].text
		switch {
		case line == "":
			e.header.ended = lines[i].ended
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
	e.header.body = int64(body)
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ":")
		switch strings.ToLower(strings.TrimRight(name, " \t")) {
		case "message-id":
			for _, id := range message.MessageIDs(value) {
				if len(value) <= mostID && len(e.header.ids) < mostIDs && !slices.Contains(e.header.ids, id) {
					e.header.ids = append(e.header.ids, id)
				}
			}
		case "content-length":
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
			if err == nil && e.header.length < 0 {
				e.header.length = int64(n)
			}
		}
	}
	if next := slowBySize(text, lines, &e); next >= 0 {
		return e, next
	}
	next := i
	for next < len(lines) && !slowIsFrom(lines, next, next > i && lines[next-1].text == "" || next == i && e.header.ended) {
		next++
	}
	e.next = int64(len(text))
	if next < len(lines) {
		e.next = int64(lines[next].start)
	}
	e.end = e.next
	if e.header.ended && next > i && lines[next-1].text == "" && lines[next-1].ended {
		e.end = int64(lines[next-1].start)
	}
	if next == len(lines) {
		e.cut = !e.header.ended || !strings.HasSuffix(text, "\n") || e.header.length > int64(len(text)-body)
	}
	return e, next
}

// slowBySize ends e where Content-Length says, if the end of the file or a From_
// line is there, behind up to two line ends. It returns the line that is next, or
// -1.
func slowBySize(text string, lines []slowLine, e *entry) int {
	if !e.header.ended || e.header.length < 0 || e.header.length > int64(len(text))-e.header.body {
		return -1
	}
	end := int(e.header.body + e.header.length)
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
	e.end, e.next, e.length = int64(end), int64(at), true
	return next
}

// slowUnquote takes one ">" from the quoted lines of a body.
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
