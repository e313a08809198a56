package ftp

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

const (
	section      = "RFC 1738 3.2"
	draftSection = "URI draft, FTP"
)

// check returns all violations in u of RFC 1738 section 3.2 or of the URI draft:
//
//	ftpurl   = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]
//	fpath    = fsegment *[ "/" fsegment ]
//	fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
//	ftptype  = "A" | "I" | "D" | "a" | "i" | "d"
//
//	ftpaddress = ftp:// login / path [ ftptype ]
//	ftptype    = A formcode | E formcode | I | L digits
func check(u locus.URL, p locus.Profile) []locus.Violation {
	if p == locus.RFC1738 && bnf.Sound(u) && soundPath(u) && soundLines(u) {
		return nil
	}
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	if !f.Internet(bnf.Login{Section: section, User: true}) {
		return f.List()
	}
	for fault := range lineFaults(u) {
		f.Fault(fault, "RFC 1738 6")
	}
	x, err := Parse(u)
	if err != nil {
		f.Error(err, section)
		return f.List()
	}
	if p == locus.RFC1630 {
		checkDraftPath(&f, x)
	} else {
		checkPath(&f, x)
	}
	return f.List()
}

// soundLines reports whether u contains no escaped CR, LF or NUL.
func soundLines(u locus.URL) bool {
	if _, user := u.User(); !user && u.Facts().Has(locus.NoControl) {
		return true
	}
	return lineEscape(u.WithoutFragmentText()) < 0
}

// soundPath reports whether the url-path of u matches fpath [ ";type=" ftptype ].
func soundPath(u locus.URL) bool {
	if u.Facts().Has(locus.PathFsegment) {
		return true
	}
	path, _ := u.Path()
	i := len(path) - len(typeWord) - len("a")
	if i < 0 || path[i:i+len(typeWord)] != typeWord {
		i = lastTypeWord(path)
	}
	return i >= 0 && isTypecode(path[i+len(typeWord):]) && octet.All(path[:i])&octet.Fsegment != 0
}

func checkPath(f *bnf.Findings, x URL) {
	fpath := checkTypecode(f, x, section+".2", x.DraftTypecode() != "",
		"the typecodes are a, i and d: this is one of the URI draft",
		`a, i or d must follow ";type=": this is read as part of the name`)
	f.Chars("fsegment", f.URL.PathOffset(), fpath, octet.Fsegment)
}

func checkDraftPath(f *bnf.Findings, x URL) {
	offset := f.URL.PathOffset()
	if _, ok := f.URL.Path(); !ok {
		f.Add("missing-slash", draftSection, offset, "", `write "/" after the host`)
		return
	}
	fpath := checkTypecode(f, x, draftSection, x.Typecode() == 'd',
		`the typecodes are A, E, I and L: a directory is written with "/" at its end`,
		`A, E, I or L, with a form or a size, must follow ";type=": this is read as part of the name`)
	f.DraftPath("segment", offset, fpath)
}

// checkTypecode reports a typecode that is invalid in one standard (RFC 1738 or the URI
// draft). The argument foreign is the message for a typecode that only the other standard
// defines. The argument unknown is the message for any other invalid typecode. The result is
// the path before the typecode.
func checkTypecode(f *bnf.Findings, x URL, section string, isForeign bool, foreign, unknown string) string {
	fpath, offset := x.fpath(), f.URL.PathOffset()
	if isForeign {
		f.Add("typecode", section, offset+int(x.end)+len(typeWord), x.code(), foreign)
		return fpath
	}
	i := lastTypeWord(fpath)
	if i < 0 || x.code() != "" {
		return fpath
	}
	f.Add("typecode", section, offset+i, fpath[i:], unknown)
	return fpath[:i]
}
