package servetest

// Demo is a running loopback server with fixed resources, for `locus tour`.
type Demo struct {
	Scheme, Section string // the scheme and its specification
	Name            string // heading of the demo page
	About           string // description in one or two sentences
	Stops           []DemoStop
	Close           func() error // stops the server
}

// DemoStop is a resource of a [Demo].
type DemoStop struct {
	URL     string   // URL including the port
	Title   string   // title, which is a noun phrase
	Kind    string   // a scheme.ItemKind; empty for an object
	Type    string   // media type; empty if the resource is not an object
	Answers []string // answers to the form, if the resource is a form
}
