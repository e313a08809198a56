package message_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus/message"
)

// quotedPair reads two Go strings and returns them with the rest.
func quotedPair(t *testing.T, line string) (first, second, rest string) {
	t.Helper()
	for _, text := range []*string{&first, &second} {
		prefix, err := strconv.QuotedPrefix(line)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		*text, _ = strconv.Unquote(prefix)
		line = strings.TrimSpace(line[len(prefix):])
	}
	return first, second, line
}

// The test vectors of other libraries must be decoded in the same way, except for the listed
// differences.
func TestForeignWords(t *testing.T) {
	lines := func(name string) (list []string) {
		octets, err := os.ReadFile("testdata/foreign/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(octets)) {
			if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
				list = append(list, line)
			}
		}
		return list
	}
	differences := map[string]string{}
	for _, line := range lines("expected_differences.txt") {
		input, ours, reason := quotedPair(t, line)
		if differences[input] = ours; reason == "" {
			t.Errorf("%q has no reason", input)
		}
	}
	cases := lines("words.txt")
	if len(cases) < 40 {
		t.Errorf("%d cases", len(cases))
	}
	for _, line := range cases {
		input, want, _ := quotedPair(t, line)
		ours, differs := differences[input]
		if delete(differences, input); differs && ours == want {
			t.Errorf("%q does not differ", input)
		} else if differs {
			want = ours
		}
		if got := message.DecodeWords(input); got != want {
			t.Errorf("%q: %q, want %q", input, got, want)
		}
	}
	for input := range differences {
		t.Errorf("%q is not a case", input)
	}
}
