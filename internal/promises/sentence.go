package main

import (
	"regexp"
	"strings"
)

// strong matches the words that make a sentence a promise.
var strong = regexp.MustCompile(`(?i)\b(never|always|cannot|can't|refuses?|refused)\b`)

var (
	listMark = regexp.MustCompile(`^(?:[-*]|\d+\.) +`)
	link     = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	docLink  = regexp.MustCompile(`\[([\w.]+)\]`)
)

// markdownSentences returns the sentences of a Markdown document, each on one line, with
// links as their text. Code blocks and headings have none. A cell of a table is a
// paragraph.
func markdownSentences(text string) (list []string) {
	var paragraph []string
	end := func() {
		list = append(list, split(strings.Join(paragraph, " "))...)
		paragraph = nil
	}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			fenced = !fenced
			end()
		case fenced, trimmed == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, "    ") && len(paragraph) == 0:
			end()
		case strings.HasPrefix(trimmed, "|"):
			end()
			for cell := range strings.SplitSeq(trimmed, "|") {
				list = append(list, split(link.ReplaceAllString(cell, "$1"))...)
			}
		default:
			if listMark.MatchString(trimmed) {
				end()
			}
			paragraph = append(paragraph, listMark.ReplaceAllString(trimmed, ""))
		}
	}
	end()
	for i := range list {
		list[i] = link.ReplaceAllString(list[i], "$1")
	}
	return list
}

// commentSentences returns the sentences of the package comment in a doc.go, with links
// as their text.
func commentSentences(text string) []string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(line, "//")
		if !ok {
			break
		}
		if strings.HasPrefix(comment, "\t") {
			comment = "\n" // code
		}
		b.WriteString(strings.TrimPrefix(comment, " "))
	}
	list := markdownSentences(b.String())
	for i := range list {
		list[i] = docLink.ReplaceAllString(list[i], "$1")
	}
	return list
}

// split divides a paragraph into sentences. A sentence ends with a full stop, a question
// mark or an exclamation mark before a blank or the end, with quotes and brackets closed
// between.
func split(text string) (list []string) {
	text = strings.Join(strings.Fields(text), " ")
	start := 0
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(".?!", text[i]) < 0 {
			continue
		}
		next := i + 1
		for next < len(text) && strings.IndexByte(`"')*`, text[next]) >= 0 {
			next++
		}
		if next < len(text) && text[next] != ' ' {
			continue
		}
		list = append(list, strings.TrimSpace(text[start:next]))
		start, i = next, next
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

// promises returns the sentences that need a row.
func promises(sentences []string) (list []string) {
	for _, s := range sentences {
		if strong.MatchString(s) {
			list = append(list, s)
		}
	}
	return list
}
