package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// testName is a test as the tables write it: "scheme/http.TestLimit", or
// "cmd/locus.TestScripts/lens" for a subtest. The root package is "locus".
type testName struct{ folder, function, subtest string }

// String returns n as the tables write it.
func (n testName) String() string {
	text := cmp.Or(n.folder, "locus") + "." + n.function
	if n.subtest != "" {
		text += "/" + n.subtest
	}
	return text
}

func (n testName) compare(m testName) int { return strings.Compare(n.String(), m.String()) }

var (
	codeSpan  = regexp.MustCompile("`[^`]+`")
	testText  = regexp.MustCompile(`^([a-z0-9/-]+)\.((?:Test|Fuzz|Example)\w*)(?:/(\S+))?$`)
	likeATest = regexp.MustCompile(`^(?:\S*\.)?(?:Test|Fuzz)[A-Z]\w*(?:/\S+)?$`)
)

// testsIn returns the tests that a document names in code spans. A test without its
// package is an error.
func testsIn(text string) (list []testName, err error) {
	for _, span := range codeSpan.FindAllString(text, -1) {
		span = strings.Trim(span, "`")
		m := testText.FindStringSubmatch(span)
		switch {
		case m != nil && m[1] == "locus":
			list = append(list, testName{"", m[2], m[3]})
		case m != nil:
			list = append(list, testName{m[1], m[2], m[3]})
		case likeATest.MatchString(span):
			return nil, fmt.Errorf("%s does not name its package: write folder.%s", span, span)
		}
	}
	return list, nil
}

// rows returns the cells of each row below the header cells, in every table of a document
// that has this header.
func rows(text string, header ...string) (list [][]string) {
	in := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || !strings.HasSuffix(line, "|") {
			in = false
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case strings.Join(cells, "|") == strings.Join(header, "|"):
			in = true
		case in && strings.Trim(line, "|-: ") != "":
			list = append(list, cells)
		}
	}
	return list
}
