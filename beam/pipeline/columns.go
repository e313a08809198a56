package pipeline

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/term"
)

type kind uint8

const (
	text    kind = iota
	integer      // a decimal number
	list         // texts that are separated by LF; no text contains LF
)

type column struct {
	name string
	kind kind
}

// deadLetters is the pipeline name that selects the columns for dead letters.
const deadLetters = "dead"

// columns returns the output columns of a pipeline, or the columns of dead letters.
func columns(pipeline string) []column {
	switch pipeline {
	case Check:
		return []column{{"by", text}, {"name", text}, {"findings", integer}, {"urls", integer}, {"samples", list}}
	case Extract:
		return []column{
			{"url", text}, {"file", text}, {"member", text}, {"line", integer}, {"column", integer}, {"start", integer}, {"end", integer},
			{"form", text}, {"type", text}, {"element", text}, {"alternative", text},
		}
	case Join:
		return []column{{"url", text}, {"input", integer}, {"with", integer}}
	case Graph:
		return []column{{"from", text}, {"to", text}, {"count", integer}}
	case deadLetters:
		return []column{{"file", text}, {"at", text}, {"reason", text}, {"record", text}}
	}
	return []column{{"url", text}, {"count", integer}}
}

// rowFn makes rows from keys and tallies.
type rowFn struct{ Pipeline string }

// ProcessElement implements the Beam DoFn method.
func (f *rowFn) ProcessElement(key []byte, t Tally, emit func(Row)) {
	n, m := strconv.FormatInt(t.N, 10), strconv.FormatInt(t.M, 10)
	first, second, _ := strings.Cut(string(key), "\t")
	switch f.Pipeline {
	case Check:
		emit(Row{[]string{first, second, n, m, strings.Join(t.Samples, "\n")}})
	case Graph:
		emit(Row{[]string{first, second, n}})
	case Join:
		if t.N > 0 && t.M > 0 {
			emit(Row{[]string{first, n, m}})
		}
	default:
		emit(Row{[]string{first, n}})
	}
}

// deadRow returns the row for a dead letter. The row contains the unchanged record and the reason
// why the record is unreadable. The reason contains no password.
func deadRow(file, at string, record []byte, reason error) Row {
	message := reason.Error()
	if e, ok := errors.AsType[*locus.SyntaxError](reason); ok {
		message = fmt.Sprintf("offset %d: %v", e.Offset, e.Err) // the row already contains the record
	}
	return Row{[]string{file, at, term.Safe(locus.MaskText(message)), string(bytes.TrimRight(record, "\r\n"))}}
}

// appendText appends the row r as a line of text with a TAB between columns. It escapes the
// characters that would end a column.
func appendText(b []byte, columns []column, r Row) []byte {
	for i, cell := range r.Cells {
		if i > 0 {
			b = append(b, '\t')
		}
		if columns[i].kind == list {
			for j, part := range splitList(cell) {
				if j > 0 {
					b = append(b, '\t')
				}
				b = append(b, oneField(part)...)
			}
			continue
		}
		b = append(b, oneField(cell)...)
	}
	return append(b, '\n')
}

func oneField(cell string) string {
	if strings.ContainsAny(cell, "\t\r\n") {
		return term.Safe(cell)
	}
	return cell
}

func splitList(cell string) []string {
	if cell == "" {
		return []string{}
	}
	return strings.Split(cell, "\n")
}

// number returns the number in a cell. The cell must contain a valid number, because only this
// package creates rows.
func number(cell string) int64 {
	n, _ := strconv.ParseInt(cmp.Or(cell, "0"), 10, 64)
	return n
}
