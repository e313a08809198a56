// Package extract finds URLs in running text (RFC 1738 appendix, "Recommendations
// for URLs in Context").
//
// [All] finds them in a text, [Stream] in what a reader returns, in constant memory; both
// find the same. [Lines] gives the line and the column of each. Nothing here decides
// whether a URL is valid, allowed or alive: a result is a [locus.URL], which the packages
// under scheme check. Package document reads Markdown, HTML and CSS.
//
// # In a wrapper
//
// Between "<URL:" and ">" is a URL of any scheme, the prefix in either case. Between "<"
// and ">" is a URL if it begins with a scheme that is looked for, and looks like one to a
// reader; see below. Inside, white space is left out, and so is the margin that each line
// of the text around begins with. "\n" is a line break here.
//
//	<URL:ftp://ds.in\nternic.net/rfc>           ->  ftp://ds.internic.net/rfc             white space is left out
//	<url: news:comp.mail >                      ->  news:comp.mail                        the prefix, in either case
//	<ftp:\n   //h/a>                            ->  ftp://h/a                             no prefix
//	<http://h/overview.html#WARNING>            ->  http://h/overview.html#WARNING        with its fragment
//	<URL:magic://a/b>                           ->  magic://a/b                           the prefix vouches for any scheme
//	<magic://a/b>                               ->                                        not a scheme that is looked for
//	<URL:http://h/wais-\ndiscussion>            ->  http://h/wais-discussion              a hyphen may be the typesetter's: Alternative is without it
//	> <URL:http://h/a\n> b>                     ->  http://h/ab                           marks of quoted mail, if the line of the "<" has them
//	// <URL:http://h/a\n// b>                   ->  http://h/ab                           marks of comments: / * # ; % ! - and a blank
//	/* <URL:http://h/a\n * b> */                ->  http://h/ab                           a comment that opens with another mark
//	 12. <URL:http://h/a\n 13. b>               ->  http://h/ab                           numbers of lines, if they count on
//	<URL:http://h/a\n\n9   [Page 9]\n\f\nb>     ->  http://h/ab                           the end of a page: footer, form feed, header
//	<URL:http://h/a\n\nb>                       ->  http://h/a                            a blank line ends a paragraph: a bare URL
//	<URL:http://h/a <b>                         ->  http://h/a                            so does another "<"
//	<http://h/a for you>                        ->  http://h/a                            without a prefix, no blank on the first line
//	<http://h/a|a label>                        ->  http://h/a                            and none of "|" and quotes
//	<URL:http://h/a                             ->                                        the text ends before the wrapper: the rest of the URL is missing
//
// # Without a wrapper
//
// A bare URL begins with a scheme that is looked for, [Standard] or [Options.Schemes], and
// ends where a reader would end it. The first URL in a run of characters takes all that it
// can.
//
//	See http://h/a, http://h/b; http://h/c.     ->  http://h/a http://h/b http://h/c      punctuation at the end: . , ; : ! ?
//	It can...http://h/a 1.http://h/b --http://h/c ->  http://h/a http://h/b http://h/c    a dot before the scheme, or two hyphens
//	"http://h/a" 'http://h/b'                   ->  http://h/a http://h/b                 quotation marks
//	x='http://h/a','http://h/b' f('see http://h/c','d') ->  http://h/a http://h/b http://h/c  an apostrophe ends it if one opened before it
//	http://h/it's http://h/10'-x/b http://h/'a' ->  http://h/it's http://h/10'-x/b http://h/'a'  else it belongs, and the last one if it closes another
//	(http://h/a_(b)) {http://h/{c}} [http://h/d[1]] ->  http://h/a_(b) http://h/{c} http://h/d[1]  ( ) { } [ ] that open and close in it
//	http://h/a(see it) http://h/b[see it]       ->  http://h/a http://h/b                 others end it
//	[u]http://h/a[/u] [url]http://h.i[/url]     ->  http://h/a http://h.i                 "[/" is of BBCode
//	http://[::1]:80/ http://h/?a[0]=1           ->  http://[::1]:80/ http://h/?a[0]=1     of a host and a search
//	a|http://h/a|b {\url{http://h/b}}           ->  http://h/a http://h/b                 never | \ ^ ` " < >
//	*http://h/a* __http://h/b__ ~http://h/c~    ->  http://h/a http://h/b http://h/c      emphasis, if it stands before it too
//	&lt;http://h/a&gt; http://h/?b&amp;c=d&copy; ->  http://h/a http://h/?b&amp;c=d        entities that stand for a delimiter, and one at the end
//	xhttp://h/a git+http://h/b éhttp://h/c      ->                                        never within a word
//	http:// http:/// http://.../ file://        ->                                        a host, or for file a path
//	file:///a http://localhost:80               ->  file:///a http://localhost:80         as here
//	http://$host/ http://{h}/ http://h/%s       ->                                        a template
//	http://h/x%zz http://h/100%                 ->  http://h/x%25zz http://h/100%25       a "%" without an escape: [Match.Escaped]
//	https://h/* https://h/** http://h/?q=*      ->  https://h/ https://h/ http://h/?q=*   "*" at the end
//	file:/etc/motd                              ->  file:/etc/motd                        a path without a host (RFC 8089 section 2)
//	http://h/#a.B^c http://h/?d=-1:|e           ->  http://h/#a.B^c http://h/?d=-1:|e     "^" in a fragment, "|" after = : , in a search
//	http://a,http://b                           ->  http://a http://b                     an octet that no host has ends it
//	www.example.org a@example.org               ->                                        no scheme; but see [Options.Schemeless]
//	news: today, file:line, std::a, 12:30       ->                                        prose: a scheme without "//" needs its [Part]
//	mailto:a@b.c, news:comp.mail; mid:1@b       ->  mailto:a@b.c news:comp.mail mid:1@b   an address, a group of a hierarchy, a message-id
//	urn:isbn:1 URL:mailto:a@b x/mailto:c@d      ->  urn:isbn:1 mailto:a@b                 and a blank, a bracket, a quote, = , ; . or URL: before it
//
// # Whole URLs
//
// A URL is found whole or not at all. A placeholder that this package cannot read to its
// end makes the text before it a template, not a URL.
//
//	http://h/{id}/x http://h/$(id)/x            ->  http://h/{id}/x http://h/$(id)/x      a placeholder without a blank is part of the URL
//	http://h/$(uname -r)/x http://h/v{{ n }}/x  ->                                        one with a blank
//	http://h/<name>/x http://h/&lt;id&gt;       ->                                        one in angle brackets
//	http://h/<br> http://h/a<b>x</b>            ->  http://h/ http://h/a                  but not HTML
//	http://h/... http://h/?a=… http://h/a…/b    ->                                        an ellipsis that stands for a part
//	http://h/a... http://h/b…                   ->  http://h/a http://h/b                 but not one after a word
//	http://a.example{ ^http://a.example$        ->  http://a.example http://a.example     "{" and "$" after a URL
//	http://h\.example/ http://h/\d+             ->                                        a regular expression
//	file:///C:\Users\x                          ->                                        a path of Windows
//	\url{http://h/a\_b\%20c} http://h/a_\(b\)  ->  http://h/a_b%20c http://h/a_(b)       a backslash of TeX or Markdown is left out
//
// # The host
//
// The text before an "@" is a login only if nothing in it ends the URL. Otherwise the text
// around a URL could change its host.
//
//	ftp://u:p,w@h/ http://a.example:x@h/        ->  ftp://u:p,w@h/ http://a.example:x@h/  a login
//	(http://a.example):b@c.example              ->  http://a.example                      a bracket that was opened before the URL
//	(http://a.example),(mailto:b@c.example)     ->  http://a.example mailto:b@c.example   as here
//	'http://a.example'+'b@c.example'            ->  http://a.example                      a quotation
//	&lt;http://a.example&gt;b@c.example         ->  http://a.example                      an entity
//	http://a.example,b@c.example                ->  http://a.example                      , ; ! ' ( after a host that is complete
//	http://a.example&b=c@d.example              ->  http://a.example&b=c@d.example        other octets belong to the login
//	http://h(b@c.example)                       ->  http://h                              an "@" within brackets
//	news:comp.mail,b@c.example                  ->  news:comp.mail                        a group that is complete
//
// # Other scripts
//
// A URL has only US-ASCII (RFC 1738 section 2.2). One with other characters is found as it
// is written, and marked by [Match.IRI]: it needs escapes, and its host another form, before
// it is sent.
//
//	http://h/Köln http://h/Жук http://Köln.de   ->  http://h/Köln http://h/Жук http://Köln.de  letters of scripts with blanks between words
//	“http://h/a” http://h/b… http://h/c؟        ->  http://h/a http://h/b http://h/c      punctuation and quotation marks of any script
//	去http://h/a看。（http://h/b）                ->  http://h/a http://h/b                 Chinese, Japanese, Korean after a letter
//	http://h/中国 http://h/name-ボ.pdf http://h/a看/b ->  http://h/中国 http://h/name-ボ.pdf http://h/a看/b  but not after / - _ ( =, or before more of the path
//	http://h/A–B_c http://h/l·l http://h/d’s    ->  http://h/A–B_c http://h/l·l http://h/d’s  dashes, dots and apostrophes within a word
//	http://h/a— http://h/b–http://h/c ‘http://h/d’s ->  http://h/a http://h/b http://h/c http://h/d  and not at its end, before a URL, or if quoted
//	http://h/☺.html http://h/5€/a               ->  http://h/☺.html http://h/5€/a         signs that more of the path follows
//	http://h/a☺ http://h/b→http://h/c           ->  http://h/a http://h/b http://h/c      and not at the end
//	http://h/☺ http://h/a_(✪)_b                 ->  http://h/☺ http://h/a_(✪)_b           but a whole word of the path, or in brackets
//	http://北京.cn/ http://a.中国 http://exampleこれは.com/x ->  http://北京.cn/ http://a.中国 http://exampleこれは.com/x  a host is whole
//	http://a.example看 http://h:80看 http://a.example’s ->  http://a.example http://h:80 http://a.example  a name or a port that is complete before them ends it
//	http://h看 http://看                          ->                                        without a dot, the end is unknown
//
// A URL of more than [locus.MaxLen] octets is ignored, and so is a wrapper of more than
// twice as many.
package extract
