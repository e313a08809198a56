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

// check judges u by the production ftpurl and the prose of section 3.2, or by
// ftpaddress of the URI draft:
//
//	ftpurl   = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]
//	fpath    = fsegment *[ "/" fsegment ]
//	fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
//	ftptype  = "A" | "I" | "D" | "a" | "i" | "d"
//
//	ftpaddress = ftp:// login / path [ ftptype ]
//	ftptype    = A formcode | E formcode | I | L digits
//
// It reads the path again only if the one way of locus.Parse through it did not
// tell everything.
func check(u locus.URL, p locus.Profile) []locus.Violation {
	if p == locus.RFC1738 && bnf.Sound(u) && soundPath(u) && lineEscape(u.WithoutFragmentText()) < 0 {
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

// soundPath reports whether the url-path is fpath [ ";type=" ftptype ].
func soundPath(u locus.URL) bool {
	if u.Facts().Has(locus.PathFsegment) {
		return true
	}
	path, _ := u.Path()
	i := lastTypeWord(path)
	return i >= 0 && isTypecode(path[i+len(typeWord):]) && octet.All(path[:i])&octet.Fsegment != 0
}

func checkPath(f *bnf.Findings, x URL) {
	fpath, offset := x.fpath(), f.URL.PathOffset()
	if x.DraftTypecode() != "" {
		f.Add("typecode", section+".2", offset+int(x.end)+len(typeWord), x.code(), "the typecodes are a, i and d: this is one of the URI draft")
	} else if i := lastTypeWord(fpath); i >= 0 && x.code() == "" {
		f.Add("typecode", section+".2", offset+i, fpath[i:], `a, i or d stands behind ";type=": this is read as part of the name`)
		fpath = fpath[:i]
	}
	f.Chars("fsegment", offset, fpath, octet.Fsegment)
}

func checkDraftPath(f *bnf.Findings, x URL) {
	offset := f.URL.PathOffset()
	if _, ok := f.URL.Path(); !ok {
		f.Add("missing-slash", draftSection, offset, "", `write "/" behind the host`)
		return
	}
	fpath := x.fpath()
	if x.Typecode() == 'd' {
		f.Add("typecode", draftSection, offset+int(x.end)+len(typeWord), x.code(), `the typecodes are A, E, I and L: a directory is written with "/" at its end`)
	} else if i := lastTypeWord(fpath); i >= 0 && x.code() == "" {
		f.Add("typecode", draftSection, offset+i, fpath[i:], `A, E, I or L, with a form or a size, stands behind ";type=": this is read as part of the name`)
		fpath = fpath[:i]
	}
	f.DraftPath("segment", offset, fpath)
}
