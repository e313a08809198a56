// Package deps contains only tests. The tests check the permitted imports between packages of this
// module, and other rules for all packages.
package deps
