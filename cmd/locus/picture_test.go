package main

import (
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the picture of README.md again")

// The sizes of a character cell and of the border in the picture.
const cellWidth, cellHeight, border = 9, 20, 16

// terminalPicture returns an SVG picture of a terminal that shows the lines. The first line is the
// command.
func terminalPicture(lines []string) string {
	columns := 0
	for _, line := range lines {
		columns = max(columns, len(line))
	}
	width, height := columns*cellWidth+2*border, len(lines)*cellHeight+2*border
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"monospace\" font-size=\"15\">\n", width, height)
	fmt.Fprintf(&b, "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#1b1f24\"/>\n", width, height)
	for i, line := range lines {
		text := strings.TrimLeft(line, " ")
		if text == "" {
			continue
		}
		fill := "#d7dce2"
		switch word, _, _ := strings.Cut(strings.TrimLeft(text, "0123456789: "), " "); {
		case i == 0:
			fill = "#7fd88f"
		case word == "dead" || word == "fragment":
			fill = "#ff9d8a"
		}
		indent := len(line) - len(text)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"%s\">%s</text>\n",
			border+indent*cellWidth, border+i*cellHeight+cellHeight-5, len(text)*cellWidth, fill,
			html.EscapeString(strings.ReplaceAll(text, " ", "\u00a0"))) // SVG renderers collapse spaces
	}
	return b.String() + "</svg>\n"
}

// The picture of README.md shows the output of the command.
func TestPicture(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "docs"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"index.md": "# Guide\n\nRead [the setup](setup.md), [the errors](api.md#errors) and the [changes](changes.md).\n",
		"setup.md": "# Setup\n\n![The window](images/window.png)\n\nSee [error codes](api.md#error-codes).\n",
		"api.md":   "# API\n\n## Error codes\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "docs", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", "-c", "locus verify docs/")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "GORACE=atexit_sleep_ms=0")
	out, _ := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != 1 {
		t.Fatalf("status %d\n%s", status, out)
	}
	text := strings.ReplaceAll(string(out), dir, "/home/me/project")
	got := terminalPicture(strings.Split("$ locus verify docs/\n"+strings.TrimSuffix(text, "\n"), "\n"))
	const name = "../../docs/pictures/verify.svg"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s does not show this output; go test -update writes it again:\n%s", name, text)
	}
}
