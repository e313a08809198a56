// Package cache keeps answers on disk and gives them again: by the rules of RFC 9111
// where HTTP has rules, and for sensible times where a scheme has none.
package cache
