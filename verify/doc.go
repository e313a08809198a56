// Package verify finds out which links of documents lead somewhere (RFC 1738 section
// 2: a URL locates a resource "which may or may not" be there any more; section 6).
//
// A [Verifier] reads documents with package document, dereferences each URL once
// through package access, in every scheme, and says of each link what became of it:
// a [Verdict]. It finds no fault with a link because it can't tell: what is dead,
// somebody said so, a server, a name server, or the machine at which nobody listens.
//
//	alive        it leads somewhere
//	moved        so it does, by referrals: where to, and whether for good
//	warning      nobody can tell: 401, 402, 403, 405, 406, 407, 408, 425, 429, 451, 5xx, 999,
//	             no answer in time, a conversation that broke, a server that says that it
//	             has no time now, no connection to a gateway; each after all tries;
//	             a text of Gopher that says that there is none; a scheme that neither
//	             this registry nor IANA's has
//	ignored      a rule, or a robots.txt, asks to leave it alone; or nobody knows what it will
//	             be: a part of a template, a partial form in what has no place
//	unsupported  nothing here accesses that scheme
//	denied       the policy does not let anybody go there
//	fragment     the document is there, and has no such fragment
//	dead         there is no such thing (404, 410, 550, 430 ...), no such host; nobody listens;
//	             referrals lead in a circle
//	malformed    it is no URL, or not one of its scheme
//	unknown      the run ended before
//
// # What is asked
//
// As little as proves it ([scheme.Request.Probe]): HEAD, and GET where a server
// seems not to know HEAD; SIZE and MDTM, or CWD; STAT or GROUP; the menu, or the first
// octets, of Gopher; the search of WAIS; a session is opened, and listened to for an
// octet. Of a mail address the syntax is judged, and whether anybody takes mail for its
// domain, by the name server alone: no mail server is asked. A page is got as a whole
// where its fragments are wanted, or its links. Of a URL that is broken after a hyphen
// the reading without it is asked for where the other one is dead, and counts if it is
// there.
//
// # Fragments
//
// In HTML a fragment is the "id" of an element or the "name" of an "a", first as it is
// written, then decoded; "#top" and "#" are always there, "#7-12" if "#7" and "#12" are.
// The text of a fragment directive, ":~:text=", must be on the page. A page that leads on
// to another ("refresh") may have any fragment. In Markdown headings have the fragments
// that GitHub gives them, and those of "{#name}" at their end, and HTML in it those that
// it names. What begins with "/" or "!", and the numbers of lines that sites show files
// with, is for a program in the page, and not looked for; nor is a fragment of any other
// media type, or behind the octets that are read of a page ([Options.MaxPage]). A fragment
// of a directory is looked for in its index file: index.html, index.htm, index.md,
// README.md or README.html, the first of them that it has.
//
// # Other scripts
//
// A link with characters that are not US-ASCII is asked for as the URL that it stands for
// (RFC 3987 section 3.1); what is written is in [Result.Written]. If its host has no ASCII
// form, it is malformed, and no name server is asked.
//
// # Politeness
//
// A host is asked by so many at once and so often as [Options] says, whatever the
// schemes. A failure that may pass is waited out, longer each time. A server that says
// when to come back (Retry-After) is left alone until then by everybody here, and for
// the rest of the run if that is too long. A site's robots.txt is read before its
// pages are, and obeyed, Crawl-delay included; if the server can't give it, that is a
// warning, and no page is asked for (RFC 9309 section 2.3.1.4). Where a document leads
// outside the site one request is made, as a person's browser makes it, and no
// robots.txt is asked about that.
//
// # Where links may lead
//
// A link is followed ([access.Request.From]): from a file it leads to files and to what
// is public, since a file's text may be anybody's; from a page to where the policy lets
// that page lead. The same URL found in two places may be denied in one of them.
//
// # Refused
//
// Nothing is sent that a URL's opener refuses. Passwords are in no [Outcome], and URLs
// with one not in a [Store].
package verify
