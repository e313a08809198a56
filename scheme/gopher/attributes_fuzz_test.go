package gopher

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
)

func FuzzReadAttributes(f *testing.F) {
	for _, c := range captures(f) {
		if c.kind == "plusattrs" {
			f.Add(c.s2c, uint64(1), uint8(0))
		}
	}
	f.Add([]byte("x\n+A\n .\n +x\n\n.x\r\r\n+INFO 0a\tb\n+INFO:\n 0a\n."), uint64(2), uint8(3))
	f.Add([]byte("+ADMIN\n Mod-Date: <20240229>\n TTL: 9\n+ASK\n Select: a\tb:1\n+VIEWS\n a/b: <.1k>\n+ABSTRACT\n\n"), uint64(3), uint8(255))
	f.Fuzz(func(t *testing.T, text []byte, seed uint64, bound uint8) {
		limits := &Limits{}
		if bound > 0 {
			limits = &Limits{Line: 16 + int(bound), Items: int(bound), Octets: 16 * int64(bound)}
		}
		sets, err := readSets(bytes.NewReader(text), limits)
		again, errAgain := readSets(&piecemeal{text, rand.New(rand.NewPCG(seed, 0))}, limits)
		if !reflect.DeepEqual(sets, again) || (err == nil) != (errAgain == nil) || err != nil && err.Error() != errAgain.Error() {
			t.Errorf("%q: %+v, %v\nin pieces %+v, %v", text, sets, err, again, errAgain)
		}
		if err != nil && !errors.Is(err, scheme.ErrTooLarge) {
			t.Errorf("%q: %v", text, err)
		}
		size := 0
		for _, a := range sets {
			for _, b := range a.Blocks {
				size += len(b.Name) + len(b.Descriptor) + len(strings.Join(b.Lines, ""))
			}
		}
		if bound > 0 && (size > 16*int(bound) || len(sets) > int(bound)+1) {
			t.Errorf("%q: %d octets in %d sets, limits %+v", text, size, len(sets), limits)
		}
		if err == nil {
			if want := slowSets(string(text)); !reflect.DeepEqual(blocksOf(sets), want) {
				t.Errorf("%q: %+v\nwant %+v", text, blocksOf(sets), want)
			}
		}
		for _, a := range sets {
			if only := a.Only("VIEWS", "ASK"); !slices.Equal(only.Views, a.Views) || !reflect.DeepEqual(only.Ask, a.Ask) || only.Abstract != "" {
				t.Errorf("%q: of %+v only %+v", text, a, only)
			}
		}
	})
}

// slowSets is a simple reference implementation of readAttributes.
func slowSets(text string) (sets [][]attributeBlock) {
	text = regexp.MustCompile(`\r+(\n|\z)`).ReplaceAllString(text, "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "." {
			break
		}
		name, isName := strings.CutPrefix(line, "+")
		switch {
		case isName:
			b := attributeBlock{Name: name}
			if end := strings.IndexAny(name, ": "); end >= 0 {
				b.Name, b.Descriptor = name[:end], strings.TrimLeft(strings.TrimPrefix(name[end:], ":"), " ")
			}
			if len(sets) == 0 || b.Name == "INFO" {
				sets = append(sets, nil)
			}
			last := &sets[len(sets)-1]
			*last = append(*last, b)
		case len(sets) > 0:
			set := sets[len(sets)-1]
			b := &set[len(set)-1]
			b.Lines = append(b.Lines, strings.TrimPrefix(line, " "))
		}
	}
	return sets
}

func blocksOf(sets []attributes) (blocks [][]attributeBlock) {
	for _, a := range sets {
		blocks = append(blocks, a.Blocks)
	}
	return blocks
}

// piecemeal is a reader that returns text in pieces of arbitrary sizes.
type piecemeal struct {
	text []byte
	rand *rand.Rand
}

func (p *piecemeal) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.rand.IntN(9))], p.text)
	p.text = p.text[n:]
	return n, nil
}

func FuzzParseView(f *testing.F) {
	for _, line := range []string{"Text/plain De_DE: <.0k>", "a/b", "a:b c:d: <1.5m>", "a/b: <>", ":<", "a/b: <99999999999999999999k>", " a  b :"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		v, ok := parseView(line)
		if ok != (v.Type != "") || v.Size < -1 {
			t.Errorf("%q: %+v, %v", line, v, ok)
		}
		if !ok {
			return
		}
		if strings.Contains(v.Type, " ") || strings.HasPrefix(v.Language, " ") || strings.HasSuffix(v.Language, " ") || !strings.Contains(line, v.Type) || !strings.Contains(line, v.Language) {
			t.Errorf("%q: %+v", line, v)
		}
		if again, ok := parseView(v.String() + ":"); !ok || again.Type != v.Type || again.Language != v.Language || again.Size != -1 {
			t.Errorf("%q: as asked for %+v", line, again)
		}
		if chosen, err := chooseView([]plusView{v}, "", ""); chosen != v || err != nil {
			t.Errorf("%q: %+v, %v", line, chosen, err)
		}
	})
}

func FuzzParseQuestion(f *testing.F) {
	for _, line := range []string{"Note: x", "", "x", "Ask: a: b\tc", "askp:\t", "Choose: a\tb\tc\t", "Select: a:1", "Select: a\tb:1\tc", "Frob: x", "ChooseF: x\ty"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		q := parseQuestion(line)
		fields := formFields([]question{q})
		if want := max(1, len(q.Choices)); len(fields) != 1 && (q.Kind != scheme.FieldCheck || len(fields) != want) {
			t.Errorf("%q: %d fields", line, len(fields))
		}
		if q.Kind == scheme.FieldCheck && len(q.Default) != len(fields) {
			t.Errorf("%q: %+v", line, q)
		}
		for _, text := range append([]string{q.Prompt, q.Default}, q.Choices...) {
			if !strings.Contains(line, text) && strings.Trim(text, "01") != "" {
				t.Errorf("%q: where is %q from?", line, text)
			}
		}
		// A request can contain any default answer without a line ending, except a lone dot.
		form := scheme.Form{Fields: fields}
		if _, err := appendData(nil, []question{q}, form.Defaults()); err != nil && !strings.ContainsAny(line, "\r\n\x00") && !strings.Contains(line, ".") {
			t.Errorf("%q: %v", line, err)
		}
	})
}

func FuzzAppendData(f *testing.F) {
	f.Add("Note: x\nAsk: a\nAskL: b\nSelect: c\td:1\nChoose: e\tf\tg\nAskP: h\nChooseF: i", "\x1ea\x1eb\nc\x1e1\x1ef\x1eh\x1e.\r\n")
	f.Add("Ask: a\nAsk: b", "+-1\x1e.")
	f.Add("ChooseF: a\nChooseF: b", "\x1e0")
	f.Add("AskL: a", "\n")
	f.Fuzz(func(t *testing.T, text, filled string) {
		var ask []question
		for line := range strings.SplitSeq(text, "\n") {
			ask = append(ask, parseQuestion(line))
		}
		answers := strings.Split(filled, "\x1e")
		block, err := appendData(nil, ask, answers)
		if err != nil {
			if _, ok := errors.AsType[*scheme.AnswerError](err); !ok || block != nil {
				t.Errorf("%q, %q: %q, %v", text, filled, block, err)
			}
			return
		}
		fields := formFields(ask)
		got, err := answersIn(fields, string(block))
		if err != nil {
			t.Fatalf("%q, %q: %q: %v", text, filled, block, err)
		}
		want := slices.Clone(answers)
		moveFile(fields, want)
		if !slices.Equal(got, want) {
			t.Errorf("%q, %q: %q is read as %q", text, filled, block, got)
		}
		if i, why := plusFault([]byte("+" + formStart + string(block))); i >= 0 {
			t.Errorf("%q, %q: %q: octet %d, %s", text, filled, block, i, why)
		}
	})
}

// moveFile moves the file among the answers to the first field of kind FieldFile, because a
// data block does not specify the field.
func moveFile(fields []scheme.FormField, answers []string) {
	first := -1
	for i, f := range fields {
		switch {
		case f.Kind != scheme.FieldFile:
		case first < 0:
			first = i
		case answers[i] != "":
			answers[first], answers[i] = answers[i], ""
		}
	}
}
