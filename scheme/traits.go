package scheme

// Traits are what callers need to know of a scheme before they open a URL of it. The
// zero Traits are those of a scheme whose resources are read over the network, without
// encryption.
type Traits uint32

const (
	// Interactive: opening a URL starts a session with a service (RFC 1738 section 3.8).
	Interactive Traits = 1 << iota
	// Composes: opening a URL composes a message. The URL names no object (section 3.5).
	Composes
	// Secure: the connection is encrypted from its first byte.
	Secure
	// Local: a URL is opened on this machine, without a connection: it never goes
	// through a proxy.
	Local
	// Files: a URL names a file (section 3.10). A file on this machine is opened
	// without a connection, a file on another host may go through a proxy.
	Files
	// Contained: a URL has a meaning only in the message that contains it.
	Contained
	// Web: responses are HTTP's. They carry HTTP's own rules for caches and robots.
	Web
	// Messages: objects may be mail messages or news articles.
	Messages
	// News: messages are articles: a Message-ID in them is a news URL.
	News
	// Fragments: a fragment names a place in an object that a program can look for.
	Fragments
	// AcceptsTypes: the opener obeys Request.Accept and Request.AcceptLanguage.
	AcceptsTypes
	// AcceptsLike: the opener obeys Request.Like.
	AcceptsLike
	// AcceptsItems: the opener obeys Request.Items.
	AcceptsItems
	// Lines: menus are texts with links: the order of their lines and the lines between
	// the links matter.
	Lines
	// Directories: menus are lists of files, with sizes and times.
	Directories
	// NoStatus: responses have no status, so that a text may be an error message.
	NoStatus
	// MailAddress: what follows the scheme's name ends in "@" and a domain.
	MailAddress
)

// Has reports whether t has all of want.
func (t Traits) Has(want Traits) bool { return t&want == want }
