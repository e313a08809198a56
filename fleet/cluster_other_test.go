//go:build !linux

package fleet

// runChild is the main function of a child process of the tests of clusters, for which Linux is
// needed.
func runChild(string) int { return 2 }
