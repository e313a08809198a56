package scheme

// Traits are properties of a scheme that callers need before they open a URL. The zero
// Traits describe a scheme whose resources are read over the network without encryption.
type Traits uint32

const (
	// Interactive means that opening a URL starts a session with a service (RFC 1738
	// section 3.8).
	Interactive Traits = 1 << iota
	// Composes means that opening a URL composes a message. The URL names no object
	// (section 3.5).
	Composes
	// Secure means that the connection is encrypted from its first byte.
	Secure
	// Local means that a URL is opened on this machine without a connection, and never
	// through a proxy.
	Local
	// Files means that a URL names a file (section 3.10). A file on this machine is opened
	// without a connection. A file on another host may be opened through a proxy.
	Files
	// Contained means that a URL has a meaning only in the message that contains it.
	Contained
	// Web means that responses are HTTP responses, with the rules of HTTP for caches and
	// robots.
	Web
	// Messages means that objects may be mail messages or news articles.
	Messages
	// News means that messages are articles, so that a Message-ID in them is a news URL.
	News
	// Fragments means that a fragment names a part of an object, and that a program can
	// search the object for that part.
	Fragments
	// AcceptsTypes means that the opener applies Request.Accept and Request.AcceptLanguage.
	AcceptsTypes
	// AcceptsLike means that the opener applies Request.Like.
	AcceptsLike
	// AcceptsItems means that the opener applies Request.Items.
	AcceptsItems
	// Lines means that menus are texts with links: the order of their lines and the lines
	// between the links matter.
	Lines
	// Directories means that menus are lists of files, with sizes and times.
	Directories
	// NoStatus means that responses have no status, so that a text may be an error message.
	NoStatus
	// MailAddress means that the part after the scheme's name ends in "@" and a domain.
	MailAddress
)

// Has reports whether t has all of want.
func (t Traits) Has(want Traits) bool { return t&want == want }
