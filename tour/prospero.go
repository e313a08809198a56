package tour

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/prospero/prosperotest"
)

// prosperoRoom has names of its own objects and of objects on the other servers.
func (m *Museum) prosperoRoom() (Room, error) {
	const section = "RFC 1738 3.11"
	return Room{
		Name: "Names", About: "Directories of names for what is elsewhere: the server says by what means it can be had.",
		Stops: []Stop{
			{Section: section, Kind: scheme.KindMenu, Title: "a directory: its names lead to many servers, and those of another are among them", URL: m.url("prospero", "//museum")},
			{Section: section, Type: "text/plain", Title: "an object that the server has itself; its name begins with a slash of its own", URL: m.url("prospero", "//museum/welcome")},
			{Section: section, Type: "text/plain", Title: "an object that can be had elsewhere: the server says how, and one goes there", URL: m.url("prospero", "//museum/1971")},
			{Section: section, Type: "text/plain", Title: "the example of the RFC: a field tells what the object has to be", URL: m.url("prospero", "//pros/name;key=value")},
			{Section: section, Missing: true, Title: "the same name with a field that is not so: no such object", URL: m.url("prospero", "//pros/name;key=other")},
			{Section: section, Kind: scheme.KindMenu, Title: "a query to archie: who has files with such names?", URL: m.url("prospero", "/ARCHIE/MATCH(10,10,10,0,s)/.txt")},
		},
	}, m.startProspero()
}

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
