package tour

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/prospero/prosperotest"
)

// prosperoRoom serves names by Prospero: some are of what it has itself, and some
// of what an FTP server has, which is the room's too.
func prosperoRoom(exhibits fs.FS) (room, error) {
	files, err := ftptest.FromFS(exhibits)
	if err != nil {
		return room{}, err
	}
	ftp, err := ftptest.Start(files, nil)
	if err != nil {
		return room{}, err
	}
	archive := prosperotest.HostToken(ftp.Addr())
	names, err := prosperoNames(exhibits, files, archive)
	if err != nil {
		return room{}, errors.Join(err, ftp.Close())
	}
	server, err := prosperotest.Start(names, &prosperotest.Options{Archie: prosperotest.Search(archieTable(files, archive))})
	if err != nil {
		return room{}, errors.Join(err, ftp.Close())
	}
	stop := func(title, hsoname string) Stop {
		return Stop{Scheme: "prospero", Section: "RFC 1738 3.11", Title: title, URL: locus.MustParse("prospero://" + server.Addr() + "/" + hsoname)}
	}
	return room{
		stops: []Stop{
			stop("a directory: its names lead to many servers, and those of another are among them", "/museum"),
			stop("an object that the server has itself; its name begins with a slash of its own", "/museum/welcome"),
			stop("an object that can be had elsewhere: the server says how, and one goes there", "/museum/1971"),
			stop("the example of the RFC: a field tells what the object has to be", "/pros/name;key=value"),
			stop("a query to archie: who has files with such names?", "ARCHIE/MATCH(10,10,10,0,s)/.txt"),
		},
		close: func() error { return errors.Join(server.Close(), ftp.Close()) },
	}, nil
}

// prosperoNames are the room's objects. archive is the host that has files.
func prosperoNames(exhibits fs.FS, files ftptest.Files, archive string) (prosperotest.Directory, error) {
	const travel = "pub/history/1971.txt"
	aftp := []prosperotest.Method{{"AFTP", "INTERNET-D", archive, "ASCII", "/" + travel, "TEXT"}}
	names := prosperotest.Directory{
		"/museum": {Links: []prosperotest.Link{
			{Name: "welcome"},
			{Name: "more", Union: true, HSOName: "/annex"},
			{Name: "1971: files travel", Target: "EXTERNAL", Host: archive, HSOName: "/" + travel, Methods: aftp},
			{
				Name: "archie in Montreal, as its address was", Target: "EXTERNAL", Host: "ARCHIE.MCGILL.CA",
				Methods: []prosperotest.Method{{"TELNET", "", "", "", "", `Use the account name "archie" to log in`}},
			},
			{
				Name: "Prospero itself, as its address was", Target: "EXTERNAL", Host: "PROSPERO.ISI.EDU", HSOName: "/pub/prospero/prospero.tar.Z",
				Methods: []prosperotest.Method{{"AFTP", "", "", "", "", "BINARY"}},
			},
		}},
		"/museum/1971": {NoContents: true, Data: files[travel].Data, Methods: aftp},
		"/annex":       {Links: []prosperotest.Link{{Name: "archie"}, {Name: "datagrams"}}},
		"/pros/name": {
			Data:       "This object has an attribute \"key\", and its value is \"value\".\n",
			Attributes: []prosperotest.Attribute{{Name: "key", Value: []string{"value"}}},
		},
	}
	for hsoname, file := range map[string]string{"/museum/welcome": "welcome", "/annex/archie": "archie", "/annex/datagrams": "datagrams"} {
		octets, err := fs.ReadFile(exhibits, "prospero/"+file+".txt")
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
				Site: site, Path: path.Join("/", name), Size: len(file.Data), Visited: time.Date(1994, 1, 1, 0, 0, 0, 0, time.UTC),
			})
		}
	}
	slices.SortFunc(table, func(a, b prosperotest.Find) int { return strings.Compare(a.Path, b.Path) })
	return table
}
