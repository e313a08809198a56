package telnet

import "github.com/locus-url/locus"

func title(u locus.URL) string { return u.Host() }
