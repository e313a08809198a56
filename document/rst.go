package document

import (
	"iter"

	"github.com/locus-url/locus/internal/markup"
)

// rstLinks yields the links in a reStructuredText document and the URLs in its running text, in
// document order. It reports:
//
//	`text <a.html>`_            Link; also `text <a.html>`__
//	.. _name: a.html            Definition; but not where name_ uses it; also __ a.html
//	.. image:: a.png            Image; also figure
//	   :target: a.html          Link
//	.. include:: a.rst          Link, with the Element "include"; also literalinclude
//	see https://host/           running text, without marks at the end
//
// If [Options].Templates is set, rstLinks also reports links that only Sphinx resolves. The links
// :doc:`name`, :download:`file` and the entries of a toctree have the Element "doc". The link
// :ref:`label` has the Element "ref".
func rstLinks(text string, o *Options) iter.Seq[Link] {
	return markedLinks(text, o, markup.RST, markup.RSTText)
}
