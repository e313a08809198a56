package tour

import "github.com/locus-url/locus/scheme/ftp/ftptest"

// startFTP starts an FTP server that serves the tour's files and accepts any login.
func (m *Demo) startFTP(o ftptest.Options) error {
	files, err := ftptest.FromFS(m.files())
	if err != nil {
		return err
	}
	o.Greeting = "220 The museum of the network, room of files.\r\n"
	o.ListenData = m.addresses.listen
	return m.closeLater(ftptest.Start(files, &o))
}
