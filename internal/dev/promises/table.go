package main

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	codeSpan  = regexp.MustCompile("`[^`]+`")
	testText  = regexp.MustCompile(`^[a-z0-9/-]+\.(?:Test|Fuzz|Example)\w*(?:/\S+)?$`)
	likeATest = regexp.MustCompile(`^(?:\S*\.)?(?:Test|Fuzz)[A-Z]\w*(?:/\S+)?$`)
)

// testsIn returns the names of the tests that a document mentions in code spans. Examples are
// "scheme/http.TestLimit", "cmd/locus/internal/lens.TestScripts/lens" for a subtest, and
// "locus.TestParse" in the root package. A test without its package is an error.
func testsIn(text string) (list []string, err error) {
	for _, span := range codeSpan.FindAllString(text, -1) {
		switch span = strings.Trim(span, "`"); {
		case testText.MatchString(span):
			list = append(list, span)
		case likeATest.MatchString(span):
			return nil, fmt.Errorf("%s does not name its package: write folder.%s", span, span)
		}
	}
	return list, nil
}

// rows returns the cells of each row in all tables that have the given header.
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
