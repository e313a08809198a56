// Package deps contains only tests. They check which packages may import which in this module,
// and other rules for all packages.
package deps
