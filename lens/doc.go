// Package lens compares how URL standards and URL parsers read a URL. A filter that parses a
// URL with one parser gives no protection if the program behind the filter uses another
// parser, because the two parsers may find different hosts.
//
// A [Lens] runs its parsers on URLs and compares the results. [Standards] returns the parsers
// of the four standards, [InProcess] the Go parsers, and [Programs] the parsers that are
// installed programs.
//
// [Corpus] returns URLs that are known to confuse parsers. [Lens.Matrix] counts how often
// parsers disagree on URLs, and [Lens.Guard] searches for more such URLs.
package lens
