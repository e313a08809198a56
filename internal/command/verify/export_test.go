package verify

// FormatNames returns the names of all formats, for tests outside the package.
func FormatNames() []string { return formatNames() }
