// Package extract finds URLs in running text (RFC 1738 appendix, "Recommendations
// for URLs in Context").
//
// [All] finds the URLs in a string. [Stream] finds the same URLs in the text from a reader, in
// constant memory. [Lines] converts an offset to a line and a column. The package does not check
// whether the scheme allows a URL, whether a policy permits a URL, or whether the resource exists.
// Package document reads Markdown, HTML and other formats.
//
// # In a wrapper
//
// A wrapper is "<URL:" and ">", or "<" and ">". In a wrapper with the prefix "URL:" (in any case),
// the URL may have any scheme. Without the prefix, the URL must have a known scheme
// ([Options].Schemes) and must look like a URL to a human reader, as in the examples. The package
// removes white space in the wrapper, and the margin at the start of each line. In the examples,
// "\n" is a line break.
//
//	<URL:ftp://ds.in\nternic.net/rfc>           ->  ftp://ds.internic.net/rfc             white space is removed
//	<url: news:comp.mail >                      ->  news:comp.mail                        prefix in lower case
//	<ftp:\n   //h/a>                            ->  ftp://h/a                             without the prefix
//	<http://h/overview.html#WARNING>            ->  http://h/overview.html#WARNING        with its fragment
//	<URL:magic://a/b>                           ->  magic://a/b                           any scheme after the prefix
//	<magic://a/b>                               ->                                        an unknown scheme
//	<URL:http://h/wais-\ndiscussion>            ->  http://h/wais-discussion              a typesetter may have added the hyphen: Alternative lacks it
//	> <URL:http://h/a\n> b>                     ->  http://h/ab                           marks of quoted mail, if the line of the "<" has them
//	// <URL:http://h/a\n// b>                   ->  http://h/ab                           marks of comments: / * # ; % ! - and a blank
//	/* <URL:http://h/a\n * b> */                ->  http://h/ab                           a comment that opens with another mark
//	 12. <URL:http://h/a\n 13. b>               ->  http://h/ab                           line numbers, if consecutive
//	<URL:http://h/a\n\n9   [Page 9]\n\f\nb>     ->  http://h/ab                           the end of a page: footer, form feed, header
//	<URL:http://h/a\n\nb>                       ->  http://h/a                            a blank line ends the wrapper: a bare URL
//	<URL:http://h/a <b>                         ->  http://h/a                            so does another "<"
//	<http://h/a for you>                        ->  http://h/a                            without a prefix, no blank on the first line
//	<http://h/a|a label>                        ->  http://h/a                            and none of "|" and quotes
//	<URL:http://h/a                             ->                                        the text ends before the wrapper: the rest of the URL is missing
//
// # Without a wrapper
//
// A bare URL begins with a known scheme, from [Standard] or [Options].Schemes. The URL ends at the
// same character as for a human reader. The first URL in a run of characters is as long as
// possible.
//
//	See http://h/a, http://h/b; http://h/c.     ->  http://h/a http://h/b http://h/c      punctuation at the end: . , ; : ! ?
//	It can...http://h/a 1.http://h/b --http://h/c ->  http://h/a http://h/b http://h/c    a dot before the scheme, or two hyphens
//	"http://h/a" 'http://h/b'                   ->  http://h/a http://h/b                 quotation marks
//	x='http://h/a','http://h/b' f('see http://h/c','d') ->  http://h/a http://h/b http://h/c  an apostrophe ends a URL after an opening apostrophe
//	http://h/it's http://h/10'-x/b http://h/'a' ->  http://h/it's http://h/10'-x/b http://h/'a'  otherwise it is part of the URL; the last one only if it closes a pair
//	(http://h/a_(b)) {http://h/{c}} [http://h/d[1]] ->  http://h/a_(b) http://h/{c} http://h/d[1]  balanced ( ) { } [ ] in the URL
//	http://h/a(see it) http://h/b[see it]       ->  http://h/a http://h/b                 unbalanced ones end it
//	[u]http://h/a[/u] [url]http://h.i[/url]     ->  http://h/a http://h.i                 "[/" is BBCode
//	http://[::1]:80/ http://h/?a[0]=1           ->  http://[::1]:80/ http://h/?a[0]=1     brackets in a host and a query
//	a|http://h/a|b {\url{http://h/b}}           ->  http://h/a http://h/b                 never | \ ^ ` " < >
//	*http://h/a* __http://h/b__ ~http://h/c~    ->  http://h/a http://h/b http://h/c      emphasis, if it is also before the URL
//	&lt;http://h/a&gt; http://h/?b&amp;c=d&copy; ->  http://h/a http://h/?b&amp;c=d        entities that stand for a delimiter, and one at the end
//	xhttp://h/a git+http://h/b éhttp://h/c      ->                                        not inside a word
//	http:// http:/// http://.../ file://        ->                                        a host is required, or a path for file
//	file:///a http://localhost:80               ->  file:///a http://localhost:80         examples with one
//	http://$host/ http://{h}/ http://h/%s       ->                                        a template
//	http://h/x%zz http://h/100%                 ->  http://h/x%25zz http://h/100%25       a "%" without an escape: [Match.Escaped]
//	https://h/* https://h/** http://h/?q=*      ->  https://h/ https://h/ http://h/?q=*   "*" at the end
//	file:/etc/motd                              ->  file:/etc/motd                        a path without a host (RFC 8089 section 2)
//	http://h/#a.B^c http://h/?d=-1:|e           ->  http://h/#a.B^c http://h/?d=-1:|e     "^" in a fragment, "|" after = : , in a query
//	http://a,http://b                           ->  http://a http://b                     a byte that no host has ends the URL
//	www.example.org a@example.org               ->                                        no scheme; but see [Options.Schemeless]
//	news: today, file:line, std::a, 12:30       ->                                        prose: a scheme without "//" needs its [Part]
//	mailto:a@b.c, news:comp.mail; mid:1@b       ->  mailto:a@b.c news:comp.mail mid:1@b   an address, a group of a hierarchy, a message-id
//	urn:isbn:1 URL:mailto:a@b x/mailto:c@d      ->  urn:isbn:1 mailto:a@b                 and a blank, a bracket, a quote, = , ; . or URL: before it
//
// # Whole URLs
//
// The package never reports only a part of a URL. If the package can't find the end of a
// placeholder, it treats the text before the placeholder as a template and not as a URL.
//
//	http://h/{id}/x http://h/$(id)/x            ->  http://h/{id}/x http://h/$(id)/x      a placeholder without a space is part of the URL
//	http://h/$(uname -r)/x http://h/v{{ n }}/x  ->                                        a placeholder with a space
//	http://h/<name>/x http://h/&lt;id&gt;       ->                                        a placeholder in angle brackets
//	http://h/<br> http://h/a<b>x</b>            ->  http://h/ http://h/a                  but not HTML
//	http://h/... http://h/?a=… http://h/a…/b    ->                                        an ellipsis in place of a part
//	http://h/a... http://h/b…                   ->  http://h/a http://h/b                 but not one after a word
//	http://a.example{ ^http://a.example$        ->  http://a.example http://a.example     "{" and "$" after a URL
//	http://h\.example/ http://h/\d+             ->                                        a regular expression
//	file:///C:\Users\x                          ->                                        a Windows path
//	\url{http://h/a\_b\%20c} http://h/a_\(b\)  ->  http://h/a_b%20c http://h/a_(b)       a TeX or Markdown backslash is removed
//
// # The host
//
// The text before an "@" is userinfo only if no character in this text ends the URL. Otherwise the
// text around a URL could change the host.
//
//	ftp://u:p,w@h/ http://a.example:x@h/        ->  ftp://u:p,w@h/ http://a.example:x@h/  userinfo
//	(http://a.example):b@c.example              ->  http://a.example                      a bracket that was opened before the URL
//	(http://a.example),(mailto:b@c.example)     ->  http://a.example mailto:b@c.example   the same
//	'http://a.example'+'b@c.example'            ->  http://a.example                      a quotation
//	&lt;http://a.example&gt;b@c.example         ->  http://a.example                      an entity
//	http://a.example,b@c.example                ->  http://a.example                      , ; ! ' ( after a complete host
//	http://a.example&b=c@d.example              ->  http://a.example&b=c@d.example        other bytes belong to the userinfo
//	http://h(b@c.example)                       ->  http://h                              an "@" within brackets
//	news:comp.mail,b@c.example                  ->  news:comp.mail                        a complete group
//
// # Other scripts
//
// A URL consists of US-ASCII characters (RFC 1738 section 2.2). If a URL contains other
// characters, the package returns the URL as written, and sets [Match].IRI. Before a request, the
// caller must escape the other characters and convert the host.
//
//	http://h/Köln http://h/Жук http://Köln.de   ->  http://h/Köln http://h/Жук http://Köln.de  letters of scripts with spaces between words
//	“http://h/a” http://h/b… http://h/c؟        ->  http://h/a http://h/b http://h/c      punctuation and quotation marks of any script
//	去http://h/a看。（http://h/b）                ->  http://h/a http://h/b                 Chinese, Japanese, Korean after a letter
//	http://h/中国 http://h/name-ボ.pdf http://h/a看/b ->  http://h/中国 http://h/name-ボ.pdf http://h/a看/b  but not after / - _ ( =, or before more of the path
//	http://h/A–B_c http://h/l·l http://h/d’s    ->  http://h/A–B_c http://h/l·l http://h/d’s  dashes, dots and apostrophes within a word
//	http://h/a— http://h/b–http://h/c ‘http://h/d’s ->  http://h/a http://h/b http://h/c http://h/d  but not at the end, before a URL, or in quotation marks
//	http://h/☺.html http://h/5€/a               ->  http://h/☺.html http://h/5€/a         symbols before more of the path
//	http://h/a☺ http://h/b→http://h/c           ->  http://h/a http://h/b http://h/c      but not at the end
//	http://h/☺ http://h/a_(✪)_b                 ->  http://h/☺ http://h/a_(✪)_b           a whole word of the path, or in brackets
//	http://北京.cn/ http://a.中国 http://exampleこれは.com/x ->  http://北京.cn/ http://a.中国 http://exampleこれは.com/x  a host is never split
//	http://a.example看 http://h:80看 http://a.example’s ->  http://a.example http://h:80 http://a.example  they end a URL after a complete name or port
//	http://h看 http://看                          ->                                        without a dot, the end is unknown
//
// The package ignores a URL longer than [locus.MaxLen] bytes, and a wrapper longer than twice
// that length.
package extract
