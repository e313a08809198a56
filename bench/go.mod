module github.com/locus-url/locus/bench

go 1.26.0

replace github.com/locus-url/locus => ../

require (
	github.com/PuerkitoBio/purell v1.2.1
	github.com/locus-url/locus v0.0.0-00010101000000-000000000000
	github.com/nlnwa/whatwg-url v0.6.2
	github.com/yuin/goldmark v1.8.7
	golang.org/x/net v0.62.0
	mvdan.cc/xurls/v2 v2.6.0
)

require (
	github.com/bits-and-blooms/bitset v1.20.0 // indirect
	github.com/gabriel-vasile/mimetype v1.4.16 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/mikelolasagasti/xz v1.0.1 // indirect
	go.etcd.io/bbolt v1.5.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
