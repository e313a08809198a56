// Package markup reads HTML and Markdown and says where each piece stands in the source.
//
// [HTML] gives the tokens of a page, [Markdown] the links, code, HTML and running text of
// a Markdown document, [Headings] its headings. [Decode] replaces the escapes of a
// notation and keeps the way back to the offsets of the source. The readers hold no copy
// of the text, never fail, and take time in proportion to the length of the text.
//
// These readers exist because of offsets, which goldmark and x/net/html do not give for
// destinations and attributes, and because of time: Markdown takes a tenth of the time of
// goldmark, which needs seconds for 80 kB of "*a_ " or "> ", and HTML half of the time of
// the tokenizer of x/net/html.
package markup
