package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"sync"
)

//go:embed assets
var assetFiles embed.FS

// Assets returns the files that pages load: styles, scripts, icons, and the licences of
// third-party files.
func Assets() fs.FS {
	sub, err := fs.Sub(assetFiles, "assets")
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}

// AssetsVersion returns a text for [Site.Assets] that changes with the files of Assets.
func AssetsVersion() string { return assetsVersion() }

var assetsVersion = sync.OnceValue(func() string {
	sum := sha256.New()
	err := fs.WalkDir(assetFiles, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := assetFiles.ReadFile(name)
		sum.Write([]byte(name + "\x00"))
		sum.Write(data)
		return err
	})
	if err != nil {
		panic(err) // the files are embedded
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
})
