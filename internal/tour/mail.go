package tour

import (
	"context"
	"os"
	"path/filepath"

	"github.com/locus-url/locus/mailstore"
)

func (m *Demo) openMail() error {
	octets, err := m.readExhibit("mail/letters.mbox")
	if err != nil {
		return err
	}
	mbox := m.MailFile()
	if err := os.WriteFile(mbox, octets, 0o600); err != nil {
		return err
	}
	m.mail, err = mailstore.Open(context.Background(), mailstore.Options{Sources: []string{mbox}, Cache: filepath.Join(m.dir, "index")})
	return m.closeLater(m.mail, err)
}
