// Package lens compares how URL standards and URL parsers read a URL. A filter that parses a
// URL with one parser protects nothing if the program after it uses another parser: the two
// may contact different hosts.
//
// A [Lens] runs its parsers on URLs and compares the results. The parsers are the four
// standards ([Standards]), parsers of this process ([InProcess]) and installed programs
// ([Programs]).
//
// [Corpus] returns URLs that are known to confuse parsers, [Lens.Matrix] counts the
// disagreements on them, and [Lens.Guard] searches for more.
package lens
