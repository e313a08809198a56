package page

import (
	"cmp"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// kind is the kind of resource that a page shows. Each kind has a label, and an icon in
// assets/icons.svg.
type kind struct {
	Icon, Label string
	menu        bool // the resource is a menu, or a form whose result is a menu
}

var (
	kindHome      = kind{"locus", "Home", false}
	kindMenu      = kind{"folder", "Menu", true}
	kindDirectory = kind{"folder", "Directory", true}
	kindSearch    = kind{"search", "Search", true}
	kindForm      = kind{"form", "Form", true}
	kindSession   = kind{"terminal", "Session", false}
	kindText      = kind{"text", "Text", false}
	kindDocument  = kind{"html", "Document", false}
	kindImage     = kind{"image", "Image", false}
	kindSound     = kind{"sound", "Sound", false}
	kindVideo     = kind{"video", "Video", false}
	kindArchive   = kind{"archive", "Archive", false}
	kindProgram   = kind{"binary", "File", false}
	kindFile      = kind{"file", "File", false}
	kindPaper     = kind{"paper", "Paper", false}
	kindComposed  = kind{"letter", "Message", false}
	kindArticle   = kind{"article", "Article", false}
	kindRedirect  = kind{"referral", "Redirect", false}
	kindWarning   = kind{"warning", "Problem", false}
	kindUnknown   = kind{"unknown", "Unknown", false}
	kindAddress   = kind{"address", "Address", false}
	kindNone      = kind{}
)

// itemKinds maps item kinds to page kinds, if the page kind does not depend on the item's URL or
// media type.
var itemKinds = map[scheme.ItemKind]kind{
	scheme.KindSearch: kindSearch, scheme.KindForm: kindForm, scheme.KindSession: kindSession,
	scheme.KindInfo: kindNone, scheme.KindError: kindWarning,
}

// kindOfItem returns the kind of an item in a menu.
func (p *Printer) kindOfItem(i *scheme.Item) kind {
	if k, ok := itemKinds[i.Kind]; ok {
		return k
	}
	switch i.Kind {
	case scheme.KindMenu:
		if _, counted := i.Number(scheme.ColumnCount); counted {
			return p.kindOfMenu(i.URL)
		}
		return kindMenu
	case scheme.KindObject:
		// If the item has no media type, the file name determines the kind.
		if k, ok := kindOfType(cmp.Or(i.Type, media.ByName(i.Title))); ok {
			return k
		}
		if i.Type == "" {
			return kindFile
		}
		return kindProgram
	}
	switch traits := p.registry.Scheme(i.URL).Traits; {
	case traits.Has(scheme.Interactive):
		return kindSession
	case traits.Has(scheme.Composes):
		return kindAddress
	}
	if k, ok := kindOfType(i.Type); ok {
		return k
	}
	return kindUnknown
}

// kindOfMenu returns the kind of the menu at u.
func (p *Printer) kindOfMenu(u locus.URL) kind {
	row := p.registry.Scheme(u)
	if row.Display.MenuLabel != nil {
		if label := row.Display.MenuLabel(u); label != "" {
			return kind{cmp.Or(row.Display.Icon, kindMenu.Icon), label, true}
		}
	}
	if row.Traits.Has(scheme.Directories) {
		return kindDirectory
	}
	return kindMenu
}

// kindOfType returns the kind for a media type. If the media type is missing or
// application/octet-stream, ok is false.
func kindOfType(mediaType string) (k kind, ok bool) {
	name := bareMediaType(mediaType)
	top, sub, _ := strings.Cut(name, "/")
	switch {
	case documentTypes[name]:
		return kindDocument, true
	case messageTypes[name], top == "multipart":
		return kindComposed, true
	case textTypes[name] || top == "text" || strings.HasSuffix(sub, "+json"):
		return kindText, true
	case top == "image":
		return kindImage, true
	case top == "audio":
		return kindSound, true
	case top == "video":
		return kindVideo, true
	case paperTypes[name]:
		return kindPaper, true
	case archiveTypes[name] || strings.HasSuffix(sub, "+zip") || strings.Contains(sub, "compress"):
		return kindArchive, true
	case name == "", name == "application/octet-stream":
		return kindProgram, false
	}
	return kindProgram, true
}

var (
	paperTypes = map[string]bool{
		"application/pdf": true, "application/postscript": true, "application/x-dvi": true, "application/msword": true,
		"application/rtf": true, "application/epub+zip": true, "image/vnd.djvu": true,
	}
	archiveTypes = map[string]bool{
		"application/zip": true, "application/gzip": true, "application/x-gzip": true, "application/x-tar": true, "application/x-bzip2": true,
		"application/x-xz": true, "application/zstd": true, "application/x-7z-compressed": true, "application/vnd.rar": true,
		"application/x-rar-compressed": true, "application/mac-binhex40": true, "application/x-stuffit": true, "application/x-shar": true,
		"application/x-lzh": true, "application/x-lha": true, "application/x-iso9660-image": true, "application/java-archive": true,
		"application/x-cpio": true, "application/x-rpm": true, "application/vnd.debian.binary-package": true, "application/x-deb": true,
		"application/x-gtar": true, "application/x-apple-diskimage": true,
	}
)
