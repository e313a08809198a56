package scheme

// Traits is a set of properties that callers need to know before they open a URL. The zero
// Traits describes a scheme whose resources are read over the network without encryption.
type Traits uint32

const (
	// Interactive means that opening a URL starts a session with a service (RFC 1738
	// section 3.8).
	Interactive Traits = 1 << iota
	// Composes means that opening a URL composes a message, and that the URL does not identify
	// an object (RFC 1738 section 3.5).
	Composes
	// Secure means that the connection is encrypted from its first byte.
	Secure
	// Local means that a URL is opened on this machine without a connection, and never
	// through a proxy.
	Local
	// Files means that a URL names a file (RFC 1738 section 3.10). A file on this machine is
	// opened without a connection. A file on another host may be opened through a proxy.
	Files
	// Contained means that a URL has a meaning only in the message that contains it.
	Contained
	// Web means that responses are HTTP responses, and that the HTTP rules for caches and
	// robots apply.
	Web
	// Messages means that objects may be mail messages or news articles.
	Messages
	// News means that messages are news articles, so that a message ID in an article refers to
	// a news URL.
	News
	// Fragments means that a fragment identifies a part of an object, and that a program can
	// search the object for the part.
	Fragments
	// AcceptsTypes means that the opener supports Request.Accept and Request.AcceptLanguage.
	AcceptsTypes
	// AcceptsLike means that the opener supports Request.Like.
	AcceptsLike
	// AcceptsItems means that the opener supports Request.Items.
	AcceptsItems
	// Lines means that a menu is a text with links, so that the order of the lines and the
	// lines between the links matter.
	Lines
	// Directories means that menus are lists of files, with sizes and times.
	Directories
	// NoStatus means that responses have no status, so that a text may be an error message.
	NoStatus
	// MailAddress means that the URL ends in "@" and a domain, like a mail address.
	MailAddress
)

// Has reports whether t includes all properties in want.
func (t Traits) Has(want Traits) bool { return t&want == want }
