package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The workflows name each action with a full version, use the Go version in go.mod, and run the
// scripts and programs of this repository.
func TestWorkflows(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)[1]
	pinned := regexp.MustCompile(`^[a-z-]+/[a-z-]+@v\d+\.\d+\.\d+$`)
	uses := regexp.MustCompile(`(?m)^ *- uses: (.*)$`)
	goVersion := regexp.MustCompile(`(?m)^ *go-version: '(.*)'$`)
	for name, commands := range map[string][]string{
		"test.yml":    {"run: .ci/test\n"},
		"release.yml": {"run . licences\n", "run . vulnerabilities\n", `run . --out "$RUNNER_TEMP/release"`, "--file contrib/Containerfile "},
	} {
		octets, err := os.ReadFile(filepath.Join("../../.github/workflows", name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(octets)
		for _, command := range commands {
			if !strings.Contains(text, command) {
				t.Errorf("%s does not have %q", name, command)
			}
		}
		actions, versions := uses.FindAllStringSubmatch(text, -1), goVersion.FindAllStringSubmatch(text, -1)
		if len(actions) == 0 || len(versions) == 0 || len(actions) != strings.Count(text, "uses:") {
			t.Errorf("%s: %q, %q", name, actions, versions)
		}
		for _, action := range actions {
			if !pinned.MatchString(action[1]) {
				t.Errorf("%s: %s has no full version", name, action[1])
			}
		}
		for _, v := range versions {
			if v[1] != string(version) {
				t.Errorf("%s has Go %s, and go.mod has %s", name, v[1], version)
			}
		}
	}
}
