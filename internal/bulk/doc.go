// Package bulk processes lists that are larger than memory. The package processes blocks of
// lines concurrently and writes the results in order. The package also removes, counts and
// sorts repeated lines. Data that exceeds the memory limit is spilled to a file.
package bulk
