package main

import (
	"os"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/cli/base"
)

// The guides' commands print what the guides say, and the lines of Go in them are those of
// examples that run.
func TestGuides(t *testing.T) {
	t.Chdir("../..")
	for guide, example := range map[string]string{
		"docs/parse-and-compare.md": "example_test.go",
		"docs/extract.md":           "document/example_test.go",
	} {
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		program, err := os.ReadFile(example)
		if err != nil {
			t.Fatal(err)
		}
		commands := 0
		for i, block := range strings.Split(string(text), "```") {
			kind, block, _ := strings.Cut(block, "\n")
			switch {
			case i%2 == 0:
			case kind == "go":
				for line := range strings.Lines(block) {
					if !strings.Contains(string(program), strings.TrimSpace(line)) {
						t.Errorf("%s: %s does not have the line %s", guide, example, line)
					}
				}
			case kind == "console":
				commands++
				line, want, _ := strings.Cut(block, "\n")
				testGuide(t, guide, strings.TrimPrefix(line, "$ locus "), want)
			}
		}
		if commands != 3 {
			t.Errorf("%s has %d commands", guide, commands)
		}
	}
}

func testGuide(t *testing.T, guide, command, want string) {
	t.Helper()
	command, input, redirected := strings.Cut(command, " < ")
	got := run(t, func(a *base.App) {
		if !redirected {
			return
		}
		file, err := os.Open(input)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		a.In = file
	}, strings.Fields(command)...)
	if got.out != want || got.err != "" {
		t.Errorf("%s: locus %s prints\n%s%s", guide, command, got.out, got.err)
	}
}
