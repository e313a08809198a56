// Package bulk works on lists that are larger than memory: it answers blocks of lines side
// by side and writes the answers in order, drops repeated lines, counts them, and sorts
// them. What does not fit into the memory that it may use is spilled to a file.
package bulk
