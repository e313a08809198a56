package tour

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/prospero/prosperotest"
)

// prosperoRoom serves names by Prospero: some are of what it has itself, and some
// of what is in the other rooms.
func prosperoRoom(h *house) (room, error) {
	files, err := ftptest.FromFS(h.files())
	if err != nil {
		return room{}, err
	}
	archive := prosperotest.HostToken(h.tcp["ftp"].Addr().String())
	names, err := prosperoNames(h, files, archive)
	if err != nil {
		return room{}, err
	}
	server, err := prosperotest.Start(names, &prosperotest.Options{Archie: prosperotest.Search(archieTable(files, archive)), Conn: h.udp})
	if err != nil {
		return room{}, err
	}
	stop := func(title, hsoname string) Stop {
		return Stop{Scheme: "prospero", Section: "RFC 1738 3.11", Title: title, URL: h.url("prospero", "/"+hsoname)}
	}
	other := stop("the same name with a field that is not so: no such object", "/pros/name;key=other")
	other.Missing = true
	return room{
		name: "Names", about: "Directories of names for what is elsewhere: the server says by what means it can be had.",
		stops: []Stop{
			stop("a directory: its names lead to many servers, and those of another are among them", "/museum"),
			stop("an object that the server has itself; its name begins with a slash of its own", "/museum/welcome"),
			stop("an object that can be had elsewhere: the server says how, and one goes there", "/museum/1971"),
			stop("the example of the RFC: a field tells what the object has to be", "/pros/name;key=value"),
			other,
			stop("a query to archie: who has files with such names?", "ARCHIE/MATCH(10,10,10,0,s)/.txt"),
		},
		close: server.Close,
	}, nil
}

// prosperoNames are the room's objects. archive is the host that has files.
func prosperoNames(h *house, files ftptest.Files, archive string) (prosperotest.Directory, error) {
	const travel = "pub/history/1971.txt"
	aftp := []prosperotest.Method{{"AFTP", "INTERNET-D", archive, "ASCII", "/" + travel, "TEXT"}}
	lists := prosperotest.HostToken(h.tcp["gopher"].Addr().String())
	library := prosperotest.HostToken(h.tcp["telnet"].Addr().String())
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
		octets, err := h.read("prospero/" + file + ".txt")
		if err != nil {
			return nil, err
		}
		names[hsoname] = prosperotest.Object{Data: string(octets)}
	}
	return names, nil
}

// archieTable is what archie knows of an FTP server's files.
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
