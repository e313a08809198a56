package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/locus-url/locus/scheme"
)

// bodyOf returns a reader for a reply without the Gopher+ header.
func bodyOf(t testing.TB, reply []byte) io.Reader {
	t.Helper()
	r := bufio.NewReader(bytes.NewReader(reply))
	h, err := readHeader(r)
	if err != nil {
		t.Fatalf("%q: %v", reply, err)
	}
	if !h.Plus {
		return r
	}
	return h.Body(r, true)
}

// allSets reads all sets of attributes. If reading fails, the test fails.
func allSets(t testing.TB, r io.Reader) []attributes {
	t.Helper()
	sets, err := readSets(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

// readSets reads sets of attributes up to the end or to an error.
func readSets(r io.Reader, o *Limits) (sets []attributes, err error) {
	for a, err := range readAttributes(r, o) {
		sets = append(sets, a)
		if err != nil {
			return sets, err
		}
	}
	return sets, nil
}

// oneSet returns the attributes in a capture with a single item.
func oneSet(t testing.TB, name string) attributes {
	t.Helper()
	sets := allSets(t, bodyOf(t, captured(t, name).s2c))
	if len(sets) != 1 {
		t.Fatalf("%s: %d sets", name, len(sets))
	}
	return sets[0]
}

// TestAttributesOfCaptures checks the expectations about attributes that the captures contain,
// such as:
//
//	final dot: True; attribute blocks: 1 INFO; INFO ADMIN VIEWS ASK ...
func TestAttributesOfCaptures(t *testing.T) {
	ticked := 0
	for _, c := range captures(t) {
		expected := ""
		for _, line := range c.expect {
			if _, blocks, ok := strings.Cut(line, "attribute blocks: "); ok {
				expected = strings.TrimSpace(blocks)
				ticked++
			}
		}
		if (c.kind == "plusattrs") != (expected != "") {
			t.Errorf("%s: is of kind %s and expects %q", c.name, c.kind, expected)
		}
		if expected == "" {
			continue
		}
		var names []string
		infos := 0
		for _, set := range allSets(t, bodyOf(t, c.s2c)) {
			for i, b := range set.Blocks {
				names = append(names, b.Name)
				if b.Name == "INFO" {
					infos++
				}
				if (b.Name == "INFO") != (i == 0) {
					t.Errorf("%s: block %d of a set is %s", c.name, i, b.Name)
				}
			}
		}
		got := strings.TrimSpace(fmt.Sprintf("%d INFO; %s", infos, strings.Join(names, " ")))
		begin, cut := strings.CutSuffix(expected, " ...")
		if got != expected && !(cut && strings.HasPrefix(got, begin+" ")) {
			t.Errorf("%s: %s; want %s", c.name, got, expected)
		}
	}
	if ticked != 17 {
		t.Errorf("%d captures of attributes", ticked)
	}
}

// TestAttributesOfOneItem checks the parsed attributes of a real item.
func TestAttributesOfOneItem(t *testing.T) {
	date := time.Date(2026, 11, 20, 20, 20, 20, 0, time.UTC)
	for name, want := range map[string]attributes{
		"umn-bang-views": {
			ModTime: date,
			Views: []plusView{
				{"Text/plain", "De_DE", 0}, {"Text/plain", "En_US", 102}, {"Text/plain", "Es_ES", 0}, {"application/postscript", "En_US", 102},
			},
			Abstract: "A yearly report,\navailable in several views.",
		},
		"umn-bang-ask": {
			ModTime: date,
			Views:   []plusView{{"Text/plain", "En_US", 102}},
			Ask:     survey(),
		},
		"py-bang": {
			ModTime:  date,
			Views:    []plusView{{"text/plain", "", 0}},
			Abstract: "What this server is about.\nSecond abstract line.",
		},
		"py-bang-ask": {
			ModTime: date,
			Views:   []plusView{{"text/plain", "", 0}},
			Ask: []question{
				{Kind: scheme.FieldText, Prompt: "Your name"},
				{Kind: scheme.FieldChoice, Prompt: "Colour", Default: "Red", Choices: []string{"Red", "Green"}},
			},
		},
		"gn-dollar-stub": {Views: []plusView{{"application/gopher+-menu", "", 512}}},
	} {
		got := oneSet(t, name)
		if got.Info.Type == 0 || len(got.Blocks) < 2 {
			t.Errorf("%s: %+v", name, got)
		}
		got.Info, got.Blocks = menuLine{}, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v\nwant %+v", name, got, want)
		}
	}

	root := oneSet(t, "umn-bang-root")
	if root.Info.Name != "Test site" || root.Info.Type != '1' || root.Info.Plus != '+' {
		t.Errorf("+INFO without a colon: %+v", root.Info)
	}
	if b := root.Blocks[3]; b.Name != "VERONICA" || !slices.Equal(b.Lines, []string{"treewalk: yes"}) {
		t.Errorf("a block of no RFC: %+v", b)
	}
	if info := oneSet(t, "py-bang-root").Info; info.Name != "" || info.Type != '1' {
		t.Errorf("+INFO without a name: %+v", info)
	}
	if info := oneSet(t, "umn-bang-ask").Info; info.Selector != "0/survey" || info.Plus != '?' {
		t.Errorf("+INFO of a form: %+v", info)
	}
}

func TestAttributesOfMenu(t *testing.T) {
	sets := allSets(t, bodyOf(t, captured(t, "umn-dollar").s2c))
	if len(sets) != 17 {
		t.Fatalf("%d sets", len(sets))
	}
	if s := sets[0]; s.Info.Type != '2' || len(s.Blocks) != 1 || !s.ModTime.IsZero() {
		t.Errorf("a link without attributes: %+v", s)
	}
	if s := sets[3]; s.Info.Type != 'T' || s.Blocks[1].Name != "URL" || s.Blocks[1].Lines[0] != "tn3270://localhost:23" {
		t.Errorf("+URL: %+v", s)
	}
	if s := sets[15]; !reflect.DeepEqual(s.Ask, survey()) {
		t.Errorf("+ASK: %+v", s.Ask)
	}
	if s := allSets(t, bodyOf(t, captured(t, "py-dollar").s2c))[0]; s.Info.Type != 'i' || s.Info.Name != "Root abstract line" {
		t.Errorf("the set of an information line: %+v", s)
	}
	if s := allSets(t, bodyOf(t, captured(t, "umn-dollar-subdir").s2c))[3]; s.Info.Type != '3' || s.Abstract != "Abstract of one" {
		t.Errorf("the set of an error line: %+v", s)
	}
}

func TestBlocks(t *testing.T) {
	const info = "+INFO: 0a\ta\th\t70\t+\r\n"
	for _, test := range []struct {
		why, text string
		want      [][]attributeBlock
	}{
		{"nothing", "", nil},
		{"a lone dot", ".\r\n", nil},
		{"no attributes", "Just a text.\r\n \r\n.x\r\n", nil},
		{"before the first block", "junk\r\n more\r\n\r\n+A:\r\n a\r\n", [][]attributeBlock{{{Name: "A", Lines: []string{"a"}}}}},
		{"no colon", "+A\r\n+B c\r\n", [][]attributeBlock{{{Name: "A"}, {Name: "B", Descriptor: "c"}}}},
		{"descriptors", "+A:b\r\n+A:  b: c\r\n+A::b\r\n+A :b\r\n+A: \r\n", [][]attributeBlock{{
			{Name: "A", Descriptor: "b"}, {Name: "A", Descriptor: "b: c"}, {Name: "A", Descriptor: ":b"}, {Name: "A", Descriptor: ":b"}, {Name: "A"},
		}}},
		{"names", "+a\r\n+A\r\n+\r\n+:\r\n++A\r\n+3D\r\n", [][]attributeBlock{{{Name: "a"}, {Name: "A"}, {}, {}, {Name: "+A"}, {Name: "3D"}}}},
		{"content", "+A\r\n a\r\n  b \r\n .\r\n +x\r\n \r\n \t\r\n", [][]attributeBlock{{{Name: "A", Lines: []string{"a", " b ", ".", "+x", "", "\t"}}}}},
		{"stray lines", "+A:\r\na\r\n\r\n\tb\r\n..\r\n", [][]attributeBlock{{{Name: "A", Lines: []string{"a", "", "\tb", ".."}}}}},
		{"line ends", "+A\n a\n b\r\r\n c\r\n d", [][]attributeBlock{{{Name: "A", Lines: []string{"a", "b", "c", "d"}}}}},
		{"CRs", "+A\r\r\r\n a\r\r\r\n b\r\r", [][]attributeBlock{{{Name: "A", Lines: []string{"a", "b"}}}}},
		{"CR without LF", "+A\r a\r\r b\r+B\r.\r+C\r", [][]attributeBlock{{{Name: "A", Lines: []string{"a", "", "b"}}, {Name: "B"}}}},
		{"CR within lines", "+A\r\n a\r+B\r\n b\r", [][]attributeBlock{{{Name: "A", Lines: []string{"a"}}, {Name: "B", Lines: []string{"b"}}}}},
		{"after the dot", "+A\r\n.\r\n+B\r\n", [][]attributeBlock{{{Name: "A"}}}},
		{"a dot without its end", "+A\r\n.", [][]attributeBlock{{{Name: "A"}}}},
		{"sets", info + " x\r\n+A\r\n" + info + info, [][]attributeBlock{
			{{Name: "INFO", Descriptor: "0a\ta\th\t70\t+", Lines: []string{"x"}}, {Name: "A"}},
			{{Name: "INFO", Descriptor: "0a\ta\th\t70\t+"}},
			{{Name: "INFO", Descriptor: "0a\ta\th\t70\t+"}},
		}},
		{"a set without +INFO", "+A\r\n" + info + "+info\r\n", [][]attributeBlock{
			{{Name: "A"}}, {{Name: "INFO", Descriptor: "0a\ta\th\t70\t+"}, {Name: "info"}},
		}},
	} {
		var got [][]attributeBlock
		for _, set := range allSets(t, strings.NewReader(test.text)) {
			got = append(got, set.Blocks)
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %q: %+v\nwant %+v", test.why, test.text, got, test.want)
		}
	}
}

// TestMirrors checks mirror lines, which depend on the previous line.
func TestMirrors(t *testing.T) {
	var got []byte
	sets := allSets(t, strings.NewReader("+INFO: +nowhere\ta\th\t70\r\n+INFO: 7a\ta\th\t70\r\n+INFO: iinfo\r\n+INFO: +b\ta\th2\t70\r\n+VIEWS\r\n a/b\r\n+INFO: +c\ta\th3\t70\r\n"))
	for _, a := range sets {
		got = append(got, a.Info.Mirrors, a.Only("VIEWS").Info.Mirrors)
	}
	if string(got) != "\x00\x00\x00\x00\x00\x007777" {
		t.Errorf("%q, %+v", got, sets)
	}
	menu := parse(t, "gopher://h/1")
	if u, err := sets[0].Info.URL(menu); err == nil {
		t.Errorf("a mirror of nothing is %s", u)
	}
	if u, err := sets[3].Info.URL(menu); u.String() != "gopher://h2/7a" || err != nil {
		t.Errorf("a mirror is %s, %v", u, err)
	}
}

func TestTypedBlocks(t *testing.T) {
	// A repeated block must add its lines to the first block. If a field is repeated, only the
	// first field must count.
	a := allSets(t, strings.NewReader("+INFO:\r\n 0a\tb\th\t70\r\n"+
		"+VIEWS\r\n a/b: <1>\r\n: <2>\r\n+ABSTRACT: 0elsewhere\tx\th\t70\r\n+ADMIN:\r\n TTL: 5\r\n no field\r\n"+
		"+VIEWS:\r\n c/d\r\n+ABSTRACT\r\n a\r\n \r\n+ADMIN\r\n TTL: 6\r\n+ABSTRACT\r\n b\r\n+views\r\n e/f\r\n"))[0]
	if a.Info.Name != "a" || a.Info.Selector != "b" {
		t.Errorf("+INFO on a line of its own: %+v", a.Info)
	}
	if !slices.Equal(a.Views, []plusView{{"a/b", "", 1}, {"c/d", "", -1}}) || a.Abstract != "a\n\nb" {
		t.Errorf("views %v, abstract %q", a.Views, a.Abstract)
	}
	if a.Blocks[2].Descriptor != "0elsewhere\tx\th\t70" {
		t.Errorf("the reference is lost: %+v", a.Blocks[2])
	}
}

func TestModTime(t *testing.T) {
	at := func(month time.Month, day, hour, minute, second int) time.Time {
		return time.Date(2024, month, day, hour, minute, second, 0, time.UTC)
	}
	for _, test := range []struct {
		line string
		want time.Time
	}{
		{"Mod-Date: x <20240229>", at(2, 29, 0, 0, 0)},
		{"Mod-Date: <202412312359>", at(12, 31, 23, 59, 0)},
		{"mod-date:<20241231235958>", at(12, 31, 23, 59, 58)},
		// These values are invalid.
		{"Mod-Date: 20240229", time.Time{}},
		{"Mod-Date: <20230229>", time.Time{}},
		{"Mod-Date: <19000229>", time.Time{}},
		{"Mod-Date: <20240431>", time.Time{}},
		{"Mod-Date: <20240001>", time.Time{}},
		{"Mod-Date: <20241301>", time.Time{}},
		{"Mod-Date: <20240100>", time.Time{}},
		{"Mod-Date: <202401012400>", time.Time{}},
		{"Mod-Date: <202401012360>", time.Time{}},
		{"Mod-Date: <20240101235960>", time.Time{}},
		{"Mod-Date: <2024010123>", time.Time{}},
		{"Mod-Date: <2024-1-1>", time.Time{}},
		{"Mod-Date: <+2024010>", time.Time{}},
		{"Mod-Date: <>", time.Time{}},
		{"Mod-Date: <20240101", time.Time{}},
		{"Creation-Date: <20240102>", time.Time{}},
		// The first valid date must count.
		{"Mod-Date: <x>\r\n Mod-Date: <20240102>\r\n Mod-Date: <20240103>", at(1, 2, 0, 0, 0)},
	} {
		got := allSets(t, strings.NewReader("+ADMIN:\r\n "+test.line+"\r\n"))[0].ModTime
		if !got.Equal(test.want) {
			t.Errorf("%q: %v; want %v", test.line, got, test.want)
		}
	}
}

func TestOnly(t *testing.T) {
	a := oneSet(t, "umn-bang-filter-ignored")
	if all := a.Only(); !reflect.DeepEqual(all, a) {
		t.Errorf("without names: %+v", all)
	}
	for _, names := range [][]string{{"VIEWS"}, {"+VIEWS"}, {"INFO", "VIEWS", "SMELL"}} {
		got := a.Only(names...)
		if !reflect.DeepEqual(got.Info, a.Info) || !slices.Equal(got.Views, a.Views) || got.Abstract != "" || !got.ModTime.IsZero() || len(got.Blocks) != 2 {
			t.Errorf("%q: %+v", names, got)
		}
	}
	if got := a.Only("abstract"); got.Abstract != "" || len(got.Blocks) != 1 {
		t.Errorf("letter case: %+v", got)
	}
	if len(a.Blocks) != 4 || a.Abstract == "" {
		t.Errorf("changed: %+v", a)
	}
}

// TestCutAttributes checks that readAttributes yields the attributes before an error.
func TestCutAttributes(t *testing.T) {
	const two = "+INFO: 0a\ta\th\t70\r\n+VIEWS:\r\n a/b:\r\n+INFO: 0b\tb\th\t70\r\n+VIEWS:\r\n c/d:\r\n"
	broken := errors.New("reset")
	for _, test := range []struct {
		why    string
		r      io.Reader
		o      Limits
		err    error
		names  []string // names of the sets; readAttributes yields the last set together with the error
		blocks int      // number of blocks in the last set
	}{
		{"reset", io.MultiReader(strings.NewReader(two), iotest.ErrReader(broken)), Limits{}, broken, []string{"a", "b"}, 2},
		{"reset in a line", io.MultiReader(strings.NewReader(two+"+ABS"), iotest.ErrReader(io.ErrUnexpectedEOF)), Limits{}, io.ErrUnexpectedEOF, []string{"a", "b"}, 2},
		{"reset at once", iotest.ErrReader(broken), Limits{}, broken, []string{""}, 0},
		{"a long line", strings.NewReader(two + "+" + strings.Repeat("x", 200)), Limits{Line: 100}, scheme.ErrTooLarge, []string{"a", "b"}, 2},
		{"too many octets", strings.NewReader(two + two), Limits{Octets: 70}, scheme.ErrTooLarge, []string{"a", "b"}, 2},
		{"too many items", strings.NewReader(two + two), Limits{Items: 2}, scheme.ErrTooLarge, []string{"a", "b", ""}, 0},
		{"endless lines", io.MultiReader(strings.NewReader(two), &repeater{text: []byte(" x\r\n")}), Limits{}, scheme.ErrTooLarge, []string{"a", "b"}, 2},
		{"endless blocks", io.MultiReader(strings.NewReader(two), &repeater{text: []byte("+\n")}), Limits{}, scheme.ErrTooLarge, []string{"a", "b"}, attributeLines},
		{"endless choices", io.MultiReader(strings.NewReader(two+"+ASK:\n"), &repeater{text: []byte(" Select: a" + strings.Repeat("\tx", 10000) + "\n")}), Limits{}, scheme.ErrTooLarge, []string{"a", "b"}, 3},
		{"an endless line", io.MultiReader(strings.NewReader(two), &repeater{text: []byte("+")}), Limits{}, scheme.ErrTooLarge, []string{"a", "b"}, 2},
		{"endless, and no attributes", &repeater{text: []byte("x\n")}, Limits{}, scheme.ErrTooLarge, []string{""}, 0},
	} {
		sets, err := readSets(test.r, &test.o)
		var names []string
		for _, a := range sets {
			names = append(names, a.Info.Name)
		}
		if !errors.Is(err, test.err) || !slices.Equal(names, test.names) {
			t.Errorf("%s: %q, %v; want %q, %v", test.why, names, err, test.names, test.err)
			continue
		}
		if last := sets[len(sets)-1]; len(last.Blocks) != test.blocks || test.blocks > 1 && len(last.Views) != 1 && test.why != "endless lines" {
			t.Errorf("%s: the last set has %d blocks, %d views", test.why, len(last.Blocks), len(last.Views))
		}
	}
}

// The number of fields in a form must be limited, and the options must not repeat a long
// prompt.
func TestManyChoices(t *testing.T) {
	prompt := strings.Repeat("é", 15_000)
	line := " Select: " + prompt + strings.Repeat("\tx:1", 8000) + "\n"
	sets, err := readSets(io.MultiReader(strings.NewReader("+ASK:\n"), &repeater{text: []byte(line)}), nil)
	if !errors.Is(err, scheme.ErrTooLarge) || len(sets) != 1 || len(sets[0].Ask) != attributeLines/8001 {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	octets := 0
	fields := formFields(sets[0].Ask)
	for _, f := range fields {
		octets += len(f.Prompt)
		if f.Default != "1" || !strings.HasSuffix(f.Prompt, "é: x") {
			t.Fatalf("%+v", f)
		}
	}
	if len(fields) != 8*8000 || octets > len(fields)*(maxRepeated+10) {
		t.Errorf("%d fields, %d octets", len(fields), octets)
	}
	if q := parseQuestion("Select: " + prompt[:maxRepeated] + "\ta\tb"); formFields([]question{q})[1].Prompt != prompt[:maxRepeated]+": b" {
		t.Error("a shorter prompt is cut")
	}
}

// TestEndlessSets checks that readAttributes yields the sets of an endless reply as they
// arrive, and fails at the limit.
func TestEndlessSets(t *testing.T) {
	sets, octets := 0, 0
	var last error
	for a, err := range readAttributes(&repeater{text: []byte("+INFO: 0a\ta\th\t70\r\n+ABSTRACT:\r\n " + strings.Repeat("x", 1000) + "\r\n")}, nil) {
		last = err
		if err == nil {
			sets++
			octets += len(a.Abstract)
		}
	}
	if !errors.Is(last, scheme.ErrTooLarge) || octets < attributeOctets*9/10 || octets > attributeOctets {
		t.Errorf("%d sets, %d octets, %v", sets, octets, last)
	}
}

func TestAttributesStop(t *testing.T) {
	for a, err := range readAttributes(&repeater{text: []byte("+INFO: 0a\ta\th\t70\r\n")}, nil) {
		if a.Info.Name != "a" || err != nil {
			t.Errorf("%+v, %v", a, err)
		}
		break
	}
}
