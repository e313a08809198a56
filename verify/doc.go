// Package verify finds broken links in documents: URLs whose resources do not exist
// (RFC 1738 section 2: a URL locates a resource that "may" be accessible).
//
// A [Verifier] reads documents with package document, opens each URL once through package
// access, in every scheme, and gives each link a [Verdict]. A link counts as broken only if a
// server, a name server or a refused connection says so. A [Checker] checks one link, for
// programs with their own queue.
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
// The Verifier sends the cheapest request that proves that a resource exists
// ([scheme.Request.Probe]):
//
//   - HTTP: HEAD, and GET unless the response to HEAD proves it
//   - FTP: SIZE and MDTM, or CWD
//   - news: STAT or GROUP
//   - gopher: the menu, or the first bytes of the item
//   - WAIS: the search
//   - terminal sessions: the connection, until the first byte arrives
//   - mail: the syntax of the address and a DNS lookup, without contact to a mail server
//
// The Verifier reads a whole page only if it needs the fragments or the links in the page. If a
// URL continues after a hyphen at the end of a line and is dead, the Verifier tries the URL
// without the hyphen.
//
// A page that redirects by a Refresh header field within ten seconds counts as a redirect.
// So does a page with such a meta element, if the Verifier reads the page.
//
// As browsers do, the Verifier sends the cookies of a server with later redirects of the
// same link. It then forgets the cookies.
//
// # Fragments
//
// In HTML, a fragment is the "id" of an element or the "name" of an "a" element. The
// Verifier compares the fragment as written, then decoded. "#top" and "#" always exist, and
// "#7-12" exists if "#7" and "#12" do. The text of a text fragment, ":~:text=", must be on
// the page. The fragment of a redirect target replaces the fragment of the link.
//
// In Markdown, a heading defines the fragment that GitHub gives it, and the fragment in a
// "{#name}" at its end. The fragments of embedded HTML count too.
//
// The Verifier does not check fragments that scripts interpret: those that begin with "/" or
// "!", and line numbers in source code viewers. It does not check fragments of other media
// types or fragments beyond [Options].MaxPage. If a link with a fragment leads to a
// directory, the Verifier looks for the fragment in the directory's index file. The index
// file is the first existing file of index.html, index.htm, index.md, README.md and
// README.html.
//
// # Sites
//
// A [Layout] treats documents as the pages that a site generator, such as mdBook, Hugo,
// Jekyll, Docusaurus, MkDocs, Sphinx, Obsidian or Foam, creates from them ([Presets]). Links
// may name pages or source files, as the generator allows, and headings have the fragments
// that the generator gives them. The Layout does not know the pages and fragments that
// plugins create. [FilesOptions].Preset selects the generator for [Files].
//
// # Other scripts
//
// The Verifier converts a link with characters outside US-ASCII to a URL (RFC 3987 section
// 3.1); [Result].Written is the original. If the host has no ASCII form, the link is malformed.
//
// # Politeness
//
// [Options] limit the concurrent requests and the request rate of each host, for all
// schemes together. The Verifier retries temporary failures after growing pauses. If a
// server requests a pause (Retry-After), the Verifier pauses for all URLs of that server. If
// the pause is too long, it skips the server for the rest of the run.
//
// The Verifier reads the robots.txt of a site before the pages of the site, and applies its
// rules and its Crawl-delay. If the server can't deliver robots.txt, the Verifier requests no
// page and reports a warning (RFC 9309 section 2.3.1.4). A link to another site causes one
// request, like a click in a browser; the Verifier reads no robots.txt for it.
//
// # Permissions of links
//
// The policy treats each link as followed, not as typed ([access.Request.From]). A link in a
// file may name files and public addresses only, because anyone may have written the file. A
// link in a page may name the addresses that the policy allows for that page. So the policy
// may allow a URL in one document and deny it in another. If the policy denies a link in a
// file because its host is private, the link is [Ignored]. Links to hosts that are reserved
// for examples are [Ignored] too ([Options].Reserved).
//
// If a run looks up at least five different host names and finds none of them, their links
// get a [Warning], because there may be no network.
//
// # Escapes
//
// As browsers do, the Verifier requests a "%" outside an escape as "%25", and a space in
// HTML as "%20". A "?" ends the host (RFC 3986 section 3.2). If the Verifier repaired a link
// in one of these ways, the link gets a [Warning].
//
// # Secrets
//
// No [Outcome] contains a password, and no [Store] contains a URL with a password.
package verify
