package servetest

// Demo is a running loopback server with fixed resources, for `locus tour`.
type Demo struct {
	Scheme, Section string // the scheme and its specification
	Name            string // heading
	About           string // one or two sentences
	Stops           []DemoStop
	Close           func() error // stops the server
}

// DemoStop is a resource of a [Demo].
type DemoStop struct {
	URL     string   // URL including the port
	Title   string   // a noun phrase
	Kind    string   // a scheme.ItemKind; empty for an object
	Type    string   // media type; empty if it is not an object
	Answers []string // answers, if it is a form
}
