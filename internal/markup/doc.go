// Package markup reads HTML, Markdown, AsciiDoc and reStructuredText, and returns the offsets of
// each piece in the source.
//
// [HTML] returns the tokens of a page. [Markdown] returns the links, code, HTML and running
// text of a Markdown document, and [Headings] its headings. [Decode] decodes the escapes of a
// notation and maps offsets back to the source. The readers do not copy the text, never fail,
// and take time in proportion to the length of the text.
//
// These readers exist because goldmark and x/net/html return no offsets for destinations and
// attributes. They are also faster: Markdown takes a tenth of the time of goldmark, which needs
// seconds for 80 kB of "*a_ " or "> ". HTML takes half of the time of the x/net/html tokenizer.
package markup
