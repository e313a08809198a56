// Package verify finds broken links in documents. A link is broken if its URL locates a resource
// that does not exist.
//
// A [Verifier] reads documents with package document, and opens each URL once through package
// access. A Verifier supports all schemes, and gives each link a [Verdict]. A link counts as
// broken only if a server or a name server reports that the resource does not exist, or if the
// connection is refused. Programs with their own queue can check one link at a time with a
// [Checker].
//
// In a test, [Files] verifies the documents of an [io/fs.FS] without network access:
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
// To find out whether a resource exists, the Verifier sends the cheapest request that proves it
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
// The Verifier reads a whole page only if it needs the page's fragments or links. A URL may
// continue after a hyphen at the end of a line. If such a URL is dead, the Verifier tries the URL
// without the hyphen.
//
// A page counts as a redirect if its Refresh header field loads another page within ten seconds.
// If the Verifier reads the page, an equivalent meta element also counts as a redirect.
//
// If a server sets cookies while the Verifier follows the redirects of a link, the Verifier sends
// them with the next requests for that link, as browsers do. The Verifier discards the cookies
// when it has finished the link.
//
// # Fragments
//
// In HTML, a fragment is the "id" of an element or the "name" of an "a" element. The Verifier
// compares the fragment as written, then decoded. The fragments "#top" and "#" always exist, and
// "#7-12" exists if "#7" and "#12" exist. The text of a text fragment (":~:text=") must occur on
// the page. A fragment in a redirect target replaces the fragment in the link.
//
// In Markdown, a heading defines the same fragment as on GitHub. A heading that ends in "{#name}"
// also defines the fragment "name". Embedded HTML can define more fragments.
//
// The Verifier does not check fragments that scripts interpret. Such fragments begin with "/" or
// "!", or are line numbers in a source code viewer. The Verifier does not check fragments in other
// media types or fragments beyond [Options].MaxPage. If a link with a fragment points to a
// directory, the Verifier looks for the fragment in the directory's index file. The Verifier uses
// the first of these files that exists: index.html, index.htm, index.md, README.md, README.html.
//
// # Sites
//
// A [Layout] maps source documents to the pages of a site. A site generator such as mdBook, Hugo,
// Jekyll, Docusaurus, MkDocs, Sphinx, Obsidian or Foam creates these pages ([Presets]). Links may
// point to pages or source files if the generator allows it. Headings have the same fragments as
// on the site. The Layout does not know the pages and fragments that plugins create.
// [FilesOptions].Preset selects the generator for [Files].
//
// # Other scripts
//
// The Verifier converts a link with characters outside US-ASCII to a URL (RFC 3987 section 3.1).
// [Result].Written contains the original text. If the host has no ASCII form, the link is
// malformed.
//
// # Politeness
//
// [Options] limits the concurrent requests to each host and their rate, for all schemes together.
// The Verifier retries temporary failures after increasing pauses. If a server requests a pause,
// for example with a Retry-After header field, the Verifier sends it no requests during the pause.
// If the pause is too long, the Verifier skips the server for the rest of the run.
//
// Before the Verifier reads the pages of a site, it reads the site's robots.txt. The Verifier
// applies the rules and the Crawl-delay in that file. If the server can't deliver robots.txt, the
// Verifier requests no page and reports a warning (RFC 9309 section 2.3.1.4). A link to another
// site causes only one request, like a click in a browser, so the Verifier does not read that
// site's robots.txt.
//
// # Permissions of links
//
// For the access policy, a link is a followed URL, not a typed URL ([access.Request.From]). A link
// in a file may point only to files and public addresses, because the file may come from an
// untrusted author. A link in a page may point to the addresses that the policy allows for that
// page. So the policy may allow a URL in one document and deny the same URL in another. If the
// policy denies a link in a file because its host is private, the link is [Ignored]. Links to
// hosts that are reserved for examples are [Ignored] too ([Options].Reserved).
//
// If a run looks up at least five different host names and none of them exists, their links get a
// [Warning], because there may be no network.
//
// # Escapes
//
// As browsers do, the Verifier requests a "%" outside an escape as "%25", and a space in HTML as
// "%20". A "?" ends the host (RFC 3986 section 3.2). A link that the Verifier repaired like this
// gets a [Warning].
//
// # Secrets
//
// No [Outcome] contains a password, and no [Store] contains a URL with a password.
package verify
