package tour

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/prospero/prosperotest"
)

func (m *Museum) startProspero() error {
	files, err := ftptest.FromFS(m.files())
	if err != nil {
		return err
	}
	archive := prosperotest.HostToken(m.tcp["ftp"].Addr().String())
	names, err := m.prosperoNames(files, archive)
	if err != nil {
		return err
	}
	search := prosperotest.Search(archieTable(files, archive))
	return m.keep(prosperotest.Start(names, &prosperotest.Options{Archie: search, Conn: m.udp}))
}

// prosperoNames returns the server's objects. archive is the host of files.
func (m *Museum) prosperoNames(files ftptest.Files, archive string) (prosperotest.Directory, error) {
	const travel = "pub/history/1971.txt"
	aftp := []prosperotest.Method{{"AFTP", "INTERNET-D", archive, "ASCII", "/" + travel, "TEXT"}}
	lists := prosperotest.HostToken(m.tcp["gopher"].Addr().String())
	library := prosperotest.HostToken(m.tcp["telnet"].Addr().String())
	names := prosperotest.Directory{
		"/museum": {Links: []prosperotest.Link{
			{Name: "welcome"},
			{Name: "more", Union: true, HSOName: "/annex"},
			{Name: "1971: files travel", Target: "EXTERNAL", Host: archive, HSOName: "/" + travel, Methods: aftp},
			{
				Name: "The room of lists", Target: "EXTERNAL", Host: lists, HSOName: "/",
				Methods: []prosperotest.Method{{"GOPHER", "", "", "", "", "1"}},
			},
			{
				Name: "The library", Target: "EXTERNAL", Host: library,
				Methods: []prosperotest.Method{{"TELNET", "", "", "", "", ""}},
			},
			{
				Name: "archie in Montreal, as its address was", Target: "EXTERNAL", Host: "ARCHIE.MCGILL.CA",
				Methods: []prosperotest.Method{{"TELNET", "", "", "", "", `Use the account name "archie" to log in`}},
			},
			{
				Name: "Prospero itself, as its address was", Target: "EXTERNAL", Host: "PROSPERO.ISI.EDU", HSOName: "/pub/prospero/prospero.tar.Z",
				Methods: []prosperotest.Method{{"AFTP", "", "", "", "", "BINARY"}},
			},
		}},
		"/museum/1971": {NoContents: true, Data: files[travel].Data, ModTime: files[travel].ModTime, Methods: aftp},
		"/annex":       {Links: []prosperotest.Link{{Name: "archie"}, {Name: "datagrams"}, {Name: "union"}}},
		"/pros/name": {
			Data:       "This object has an attribute \"key\", and its value is \"value\".\n",
			Attributes: []prosperotest.Attribute{{Name: "key", Value: []string{"value"}}},
		},
	}
	for hsoname, file := range map[string]string{"/museum/welcome": "welcome", "/annex/archie": "archie", "/annex/datagrams": "datagrams", "/annex/union": "union"} {
		octets, err := m.read("prospero/" + file + ".txt")
		if err != nil {
			return nil, err
		}
		names[hsoname] = prosperotest.Object{Data: string(octets)}
	}
	return names, nil
}

// archieTable returns archie's entries for the files of an FTP server.
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
