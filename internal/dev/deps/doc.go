// Package deps holds, as a test, who may import whom in this module, and what
// else no package does: it has no code.
package deps
