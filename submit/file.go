package submit

import (
	"cmp"
	"fmt"
	"os"
)

// WriteFile writes m to a new file that only its owner may read. WriteFile fails if the file
// exists. If WriteFile can't write the whole message, it removes the file. The file does not
// contain the Bcc recipients.
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
