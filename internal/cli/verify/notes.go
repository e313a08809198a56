package verify

import (
	"strings"

	"github.com/locus-url/locus/verify"
)

// causeNote is the note about links that were not judged because of a cause. It names the
// setting that would judge them.
type causeNote struct {
	cause verify.Cause
	text  string // after the number of links
}

// causeNotes are the notes in the order in which they are written. A cause that is missing
// here has no setting.
func causeNotes() []causeNote {
	return []causeNote{
		{verify.AboveRoot, "were skipped because they lead above the top of the repository or the site; --base-url URL says where that is: https://github.com/OWNER/NAME/blob/BRANCH/"},
		{verify.ReservedName, "were skipped because their hosts are reserved for examples; --include-reserved verifies them"},
		{verify.PrivateHost, "were skipped because their hosts are private; --allow-private verifies them"},
		{verify.NoNames, "were not judged because no host name was found: is there a network?"},
		{verify.NeedsBuild, "were skipped because only a build of the site knows where they lead: verify the built pages, or name the generator with --preset"},
	}
}

// noteCauses writes a note for each cause of links that were not judged, after the sites
// that are only recognized.
func (v *verifier) noteCauses() {
	v.choice.noteRecognized(v.a)
	for _, note := range causeNotes() {
		if n := v.sum.causes[note.cause]; n > 0 {
			text := note.text
			if n == 1 {
				text = strings.NewReplacer("were ", "was ", "their hosts are ", "its host is ", "verifies them", "verifies it").Replace(text)
			}
			v.a.Note("%s %s", countOf(n, "link"), text)
		}
	}
}

// noteInput names the flag that says what standard input is, if no link was found there.
func (v *verifier) noteInput() {
	if v.readsInput && v.as == "" && !v.choice.dump && !v.sum.documents["-"] {
		v.a.Note("no links were found on standard input; --as markdown or --as html says what it is")
	}
}
