package submit

import (
	"cmp"
	"fmt"
	"os"
)

// WriteFile writes m to a new file that only its owner may read. It fails if the file
// exists, and removes a file that it can't complete. The file does not name Bcc recipients.
func WriteFile(name string, m *Message) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("submit: %w", err)
	}
	_, err = m.WriteTo(f)
	if err = cmp.Or(err, f.Close()); err != nil {
		os.Remove(name)
		return fmt.Errorf("submit: %w", err)
	}
	return nil
}
