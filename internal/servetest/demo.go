package servetest

// Demo is a server that runs on loopback and always has the same resources: a room of
// `locus tour`.
type Demo struct {
	Scheme, Section string // the scheme, and where it is defined
	Name            string // a heading
	About           string // a sentence or two
	Stops           []DemoStop
	Close           func() error // ends the server
}

// DemoStop is a resource of a [Demo].
type DemoStop struct {
	URL     string   // with a port
	Title   string   // what it shows, as a clause
	Kind    string   // a scheme.ItemKind; empty: an object
	Type    string   // media type; empty: it is not an object
	Answers []string // to the form, if it is one
}
