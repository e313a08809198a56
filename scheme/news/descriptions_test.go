package news

import (
	"maps"
	"testing"
)

// The client must store descriptions only until a limit is reached.
func TestDescriptionsAreBounded(t *testing.T) {
	lines := []string{"a one", "b\t two ", "nothing", "c three"}
	for _, test := range []struct {
		octets, newsgroups int
		want               map[string]string
	}{
		{len("a oneb\t two nothingc three"), 3, map[string]string{"a": "one", "b": "two", "c": "three"}},
		{len("a oneb\t two nothingc three") - 1, 3, map[string]string{"a": "one", "b": "two"}},
		{maxDescriptions, 2, map[string]string{"a": "one", "b": "two"}},
		{maxDescriptions, 0, map[string]string{}},
	} {
		d := descriptions{map[string]string{}, test.octets, test.newsgroups}
		for _, line := range lines {
			d.addLine(line)
		}
		if !maps.Equal(d.byName, test.want) {
			t.Errorf("%d octets, %d newsgroups: %q, want %q", test.octets, test.newsgroups, d.byName, test.want)
		}
	}
}
