// Package browser holds tests that look at the gateway's pages in Chromium. It is a
// module of its own, so that what drives a browser is no dependency of the library.
//
//	go test ./...                                       # skips where there is no Chromium
//	CI=true go test ./...                               # fails there
//	go test -run TestPictures -pictures ../docs/pictures # takes the pictures of the README
package browser
