// Package browser tests the pages of the gateway in Chromium. It is a separate module, so that the
// library does not depend on a browser driver.
//
//	go test ./...                                       # skips where there is no Chromium
//	CI=true go test ./...                               # fails there
//	go test -run TestPictures -pictures ../docs/pictures # takes the pictures of the README
package browser
