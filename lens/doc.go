// Package lens shows what each standard and each living parser takes a URL for, and where
// they disagree. A filter that reads a URL with one parser protects nothing if the program
// behind it reads the URL with another: the two may contact different hosts.
//
// A [Lens] asks its readers about URLs and compares the answers. The readers are the four
// standards ([Standards]), parsers of this process ([InProcess]) and programs that are
// installed ([Programs]).
//
// [Corpus] has URLs that are known to confuse parsers, [Lens.Matrix] counts the
// disagreements on them, and [Lens.Guard] searches for more.
package lens
