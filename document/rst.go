package document

import (
	"iter"

	"github.com/locus-url/locus/internal/markup"
)

// rstLinks yields the links of a reStructuredText document, in order, and the URLs in its running
// text. It reports:
//
//	`text <a.html>`_            Link; also `text <a.html>`__
//	.. _name: a.html            Definition; but not where name_ uses it; also __ a.html
//	.. image:: a.png            Image; also figure
//	   :target: a.html          Link
//	.. include:: a.rst          Link, with the Element "include"; also literalinclude
//	see https://host/           running text, without marks at the end
//
// With [Options].Templates it also reports the links that only Sphinx resolves: :doc:`name`,
// :download:`file` and the entries of toctree with the Element "doc", and :ref:`label` with the
// Element "ref".
func rstLinks(text string, o *Options) iter.Seq[Link] {
	return marked(text, o, markup.RST, markup.RSTText)
}
