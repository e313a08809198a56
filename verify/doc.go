// Package verify finds broken links in documents: URLs whose resources do not exist
// (RFC 1738 section 2: a URL locates a resource that "may" be accessible).
//
// A [Verifier] reads documents with package document, opens each URL once through
// package access, in every scheme, and gives each link a [Verdict]. A link counts as
// broken only if a server, a name server or a refused connection says so. A [Checker] checks
// one link, for programs that have a queue of their own.
//
// [Files] verifies the documents of an [io/fs.FS] without the network, for a test:
//
//	report, err := verify.Files(os.DirFS("docs"), nil)
//	if err != nil {
//		t.Fatal(err)
//	}
//	for _, link := range report.Bad() {
//		t.Error(link)
//	}
//
// # Requests
//
// The Verifier asks for as little as possible ([scheme.Request.Probe]): HEAD, and GET
// unless the answer to HEAD proves that the resource exists; SIZE and MDTM, or CWD; STAT or GROUP; the menu or
// the first bytes of a gopher item; the search of WAIS; the first byte of a session. A
// mail address is checked by its syntax and by the name server, without contact to a
// mail server. A page is read as a whole if its fragments or its links are wanted. If a
// URL is broken after a hyphen at the end of a line, the reading without the hyphen is
// tried when the other one is dead.
//
// A page that sends its reader on within ten seconds counts as a redirect: by the field
// Refresh, or by a meta element if the page is read.
//
// Cookies that a server sets are sent with the redirects of the same link, as browsers do,
// and forgotten after it.
//
// # Fragments
//
// In HTML a fragment is the "id" of an element or the "name" of an "a", first as written,
// then decoded; "#top" and "#" always exist, and "#7-12" does if "#7" and "#12" do. The
// text of a text fragment, ":~:text=", must be on the page. If redirects lead to a fragment,
// it replaces that of the link. In Markdown headings have the fragments that GitHub
// gives them, and those of "{#name}" at their end; HTML in it counts too. Fragments
// that are for programs in a page are not looked for: those that begin with "/" or "!",
// and line numbers of source code viewers. Neither are fragments of other media types,
// nor those after the part of a page that is read ([Options.MaxPage]). The fragment of a
// directory is looked for in its index file: index.html, index.htm, index.md, README.md
// or README.html, the first that exists.
//
// # Sites
//
// A [Layout] reads documents as the pages that a generator of sites makes of them: mdBook,
// Hugo, Jekyll, Docusaurus, MkDocs, Sphinx, Obsidian or Foam. Links lead to addresses of
// pages or to sources, as the generator allows, and headings have the fragments that it
// gives them. What plugins make is not known. [FilesOptions].Preset selects it for [Files].
//
// # Other scripts
//
// A link with characters that are not US-ASCII is requested as the URL that it stands for
// (RFC 3987 section 3.1); [Result.Written] has the original. If its host has no ASCII
// form, the link is malformed.
//
// # Politeness
//
// [Options] bound how many requests a host gets at once and how often, whatever their
// schemes. Temporary failures are retried after growing pauses. A server that asks for a
// pause (Retry-After) gets it for all its URLs, or is skipped for the rest of the run if
// the pause is too long. A site's robots.txt is read before its pages, and obeyed with
// its Crawl-delay. If the server can't deliver it, no page is requested, and that is a
// warning (RFC 9309 section 2.3.1.4). A link that leaves the site costs one request, like
// a click in a browser, and no robots.txt is read for it.
//
// # Where links may lead
//
// A link is followed, not typed ([access.Request.From]): from a file it leads to files and
// to public addresses, because a file's text may be anyone's; from a page it leads where
// the policy lets that page lead. So the same URL may be denied in one of two documents.
// In a file a link that the policy denies as private is [Ignored], and so are links to hosts
// that are reserved for examples ([Options.Reserved]).
//
// If a run looks up at least five different host names and finds none of them, their links
// get a [Warning]: there may be no network.
//
// # Escapes
//
// A "%" that is no escape is requested as "%25", and in HTML a space as "%20", as browsers
// do. A "?" ends the host (RFC 3986 section 3.2). A link that needs this gets a [Warning].
//
// # Refused
//
// Nothing is sent that a URL's opener refuses. No [Outcome] has a password, and no
// [Store] has a URL with one.
package verify
