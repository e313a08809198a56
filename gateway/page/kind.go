package page

import (
	"cmp"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// kind is what something is, for people: an icon of assets/icons.svg, and a word.
type kind struct{ Icon, Label string }

var (
	kindHome     = kind{"locus", "Home"}
	kindMenu     = kind{"folder", "Menu"}
	kindSearch   = kind{"search", "Search"}
	kindForm     = kind{"form", "Form"}
	kindSession  = kind{"terminal", "Session"}
	kindText     = kind{"text", "Text"}
	kindDocument = kind{"html", "Document"}
	kindImage    = kind{"image", "Image"}
	kindSound    = kind{"sound", "Sound"}
	kindVideo    = kind{"video", "Video"}
	kindArchive  = kind{"archive", "Archive"}
	kindProgram  = kind{"binary", "File"}
	kindPaper    = kind{"paper", "Paper"}
	kindLetter   = kind{"letter", "Message"}
	kindArticle  = kind{"article", "Article"}
	kindGroup    = kind{"group", "Newsgroup"}
	kindGroups   = kind{"group", "Newsgroups"}
	kindResults  = kind{"search", "Database"}
	kindReferral = kind{"referral", "Referral"}
	kindWarning  = kind{"warning", "Problem"}
	kindUnknown  = kind{"unknown", "Unknown"}
	kindAddress  = kind{"address", "Address"}
	kindNone     = kind{}
)

// kindOfItem is what an item of a menu promises to be.
func kindOfItem(i *scheme.Item) kind {
	switch i.Kind {
	case scheme.KindMenu:
		if fieldOf(i, "count") != nil {
			return kindGroup
		}
		return kindMenu
	case scheme.KindSearch:
		return kindSearch
	case scheme.KindForm:
		return kindForm
	case scheme.KindSession:
		return kindSession
	case scheme.KindInfo:
		return kindNone
	case scheme.KindError:
		return kindWarning
	case scheme.KindObject:
		// A list without types has names, which may tell.
		if k, ok := kindOfType(cmp.Or(i.Type, media.ByName(i.Title))); ok {
			return k
		}
		return kindProgram
	}
	switch i.URL.Scheme() {
	case "telnet", "rlogin", "tn3270":
		return kindSession
	case "mailto":
		return kindAddress
	}
	if k, ok := kindOfType(i.Type); ok {
		return k
	}
	return kindUnknown
}

// kindOfMenu is what the menu at u is.
func kindOfMenu(u locus.URL) kind {
	switch u.Scheme() {
	case "news", "snews", "nntp", "nntps":
		if path, _ := u.Path(); path == "" && u.Host() != "" || u.SchemePart() == "*" {
			return kindGroups
		}
		return kindGroup
	case "wais":
		return kindResults
	}
	return kindMenu
}

// kindOfType is what objects of a media type are; ok is false if that says nothing.
func kindOfType(mediaType string) (k kind, ok bool) {
	name := bare(mediaType)
	top, sub, _ := strings.Cut(name, "/")
	switch ClassOf(name) {
	case ClassDocument:
		return kindDocument, true
	case ClassText:
		return kindText, true
	case ClassMessage:
		return kindLetter, true
	}
	switch {
	case top == "image":
		return kindImage, true
	case top == "audio":
		return kindSound, true
	case top == "video":
		return kindVideo, true
	case top == "multipart":
		return kindLetter, true
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

// fieldOf returns the value of a field of item; nil: it has none.
func fieldOf(i *scheme.Item, name string) any {
	for _, field := range i.Fields {
		if field.Name == name {
			return field.Value
		}
	}
	return nil
}

// number returns a field that is a number, as programs make it or as JSON has it.
func number(i *scheme.Item, name string) (n int64, ok bool) {
	switch v := fieldOf(i, name).(type) {
	case int:
		return int64(v), true
	case int64:
		return v, true
	case float64:
		return int64(v), true
	}
	return 0, false
}

// texts returns a field that is a list of texts.
func texts(i *scheme.Item, name string) []string {
	switch v := fieldOf(i, name).(type) {
	case []string:
		return v
	case []any:
		list := make([]string, 0, len(v))
		for _, each := range v {
			if s, ok := each.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

// schemeIcon is the icon of a scheme.
func schemeIcon(name string) string {
	switch name {
	case "ftp", "ftps", "file", "prospero":
		return kindMenu.Icon
	case "gopher", "gophers":
		return "gopher"
	case "http", "https":
		return kindDocument.Icon
	case "news", "snews", "nntp", "nntps":
		return kindGroup.Icon
	case "wais":
		return kindSearch.Icon
	case "telnet", "rlogin", "tn3270":
		return kindSession.Icon
	case "mailto":
		return kindAddress.Icon
	case "mid", "cid":
		return kindLetter.Icon
	}
	return kindUnknown.Icon
}
