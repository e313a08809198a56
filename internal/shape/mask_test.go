package shape_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/scheme/all"
)

// By any rules, no finding about a mistyped URL may show its password, even if the help contains
// the corrected URL.
func TestMaskFindings(t *testing.T) {
	r, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	for _, begin := range []string{"http:", "https:", "ftp:", "file:", "gopher:", "nntp:", "mid:", "foo:", "HTTP:", "url:http:", ""} {
		for _, slashes := range []string{"", "/", "//", "///", `\\`, `\/`, `/\`} {
			for _, login := range []string{"u:Sekret@", "u:Sek|ret@", "u:Sek%ret@", "u:Sek@ret@", "u:Sek/ret@", "u:p@"} {
				for _, end := range []string{"h", "h/a", "[", "h:99999/", `h\x`, "h/~<", ""} {
					input := begin + slashes + login + end
					secret := login[len("u:") : len(login)-1]
					if !strings.Contains(locus.Mask(input), ":"+strings.Repeat("*", len(secret))) {
						continue // by the rules of Mask, this is not a password
					}
					for _, p := range profile.All() {
						list, _ := shape.CheckInput(profile.Rules{Profile: p, Registry: r}, input, nil)
						for _, v := range shape.MaskFindings(input, list) {
							for _, part := range []string{"ekre", "Sek|", "Sek%", "Sek@", "Sek/", ":p@"} {
								if strings.Contains(v.Help, part) || strings.Contains(v.Text, part) {
									t.Errorf("%s %q: %+v", p, input, v)
								}
							}
						}
					}
				}
			}
		}
	}
}
