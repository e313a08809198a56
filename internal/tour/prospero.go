package tour

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/prospero/prosperotest"
)

func (m *Demo) startProspero() error {
	files, err := ftptest.FromFS(m.files())
	if err != nil {
		return err
	}
	archive := prosperotest.HostToken(m.tcp["ftp"].Addr().String())
	m.base["archive"] = archive
	m.base["lists"] = prosperotest.HostToken(m.tcp["gopher"].Addr().String())
	m.base["library"] = prosperotest.HostToken(m.tcp["telnet"].Addr().String())
	var names prosperotest.Directory
	if err := m.readJSON("prospero/names.json", &names); err != nil {
		return err
	}
	search := prosperotest.Search(archieTable(files, archive))
	return m.closeLater(prosperotest.Start(names, &prosperotest.Options{Archie: search, Conn: m.udp}))
}

// archieTable returns the Archie entries for the files on an FTP server.
func archieTable(files ftptest.Files, site string) (table []prosperotest.Find) {
	for name, file := range files {
		if strings.HasPrefix(name, "pub/") && !strings.HasSuffix(name, "/") {
			table = append(table, prosperotest.Find{
				Site: site, Path: path.Join("/", name), Size: len(file.Data), ModTime: file.ModTime, Visited: time.Date(1994, 1, 1, 0, 0, 0, 0, time.UTC),
			})
		}
	}
	slices.SortFunc(table, func(a, b prosperotest.Find) int { return strings.Compare(a.Path, b.Path) })
	return table
}
