package ftp_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// mirror copies directories from a server.
type mirror struct {
	client *ftp.Client
	dial   scheme.Dialer
	to     *os.Root // prevents that a name from the server leads to another directory
}

// copy copies the file or directory u to the local file name. It copies at most depth levels
// of subdirectories.
func (m *mirror) copy(ctx context.Context, u locus.URL, name string, depth int) error {
	res, err := m.client.Open(ctx, &scheme.Request{URL: u, Dial: m.dial, Limit: 100 << 20})
	if err != nil {
		return err
	}
	defer res.Close()
	switch r := res.(type) {
	case *scheme.Object:
		file, err := m.to.Create(name)
		if err != nil {
			return err
		}
		defer file.Close()
		if _, err := io.Copy(file, r.Body); err != nil {
			return err
		}
		if !r.ModTime.IsZero() {
			m.to.Chtimes(name, r.ModTime, r.ModTime)
		}
		return file.Close()
	case *scheme.Menu:
		if depth < 0 {
			return fmt.Errorf("%s: too many directories", u)
		}
		if err := m.to.MkdirAll(name, 0o755); err != nil {
			return err
		}
		for item, err := range r.Items {
			if err != nil {
				return err
			}
			if item.URL.IsZero() {
				continue // an entry without a URL, such as ".."
			}
			if err := m.copy(ctx, item.URL, path.Join(name, item.Title), depth-1); err != nil {
				return err
			}
		}
	}
	return nil
}

// A program mirrors a directory. Package access provides a client that applies a policy before
// it dials an address. Package transfer also resumes files and copies several files
// concurrently.
func Example_mirror() {
	server, err := ftptest.Start(ftptest.Files{
		"pub/README":         {Data: "Welcome\n"},
		"pub/rfc/rfc959.txt": {Data: "FILE TRANSFER PROTOCOL (FTP)\n"},
		"pub/rfc/empty/":     {},
		"private/key":        {Data: "secret"},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	dir, err := os.MkdirTemp("", "mirror")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()

	m := mirror{client: ftp.New(nil), dial: new(net.Dialer), to: root}
	defer m.client.Close()
	if err := m.copy(context.Background(), locus.MustParse("ftp://"+server.Addr()+"/pub/"), ".", 20); err != nil {
		fmt.Println(err)
		return
	}
	fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			fmt.Println(name+"/", err)
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Println(name, info.Size(), info.ModTime().UTC().Format("2006-01-02"))
		return nil
	})
	// Output:
	// ./ <nil>
	// README 8 1994-01-01
	// rfc/ <nil>
	// rfc/empty/ <nil>
	// rfc/rfc959.txt 29 1994-01-01
}
