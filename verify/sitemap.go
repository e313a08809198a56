package verify

// Site says what is looked at in sites, besides the links of their pages.
type Site struct {
	// Sitemaps reads the sitemaps that robots.txt names, or else /sitemap.xml, and
	// verifies the pages in them.
	Sitemaps bool
	// SoftNotFound requests a path that does not exist from each host. If the host
	// answers it like a page, links with the same answer get a [Warning].
	SoftNotFound bool
}
