// Package all lists every scheme that this module knows, one line each. Only the
// command and tests import it: a program that needs three schemes registers
// three.
package all
