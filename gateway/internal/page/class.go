package page

import "strings"

// Class selects how a page presents an object.
type Class string

const (
	ClassText     Class = "text"     // text, with its URLs as links
	ClassDocument Class = "document" // HTML without scripts, styles, forms and frames
	ClassFrame    Class = "frame"    // the original HTML in a sandboxed frame
	ClassMessage  Class = "message"  // a mail message or news article
	ClassImage    Class = "image"
	ClassSound    Class = "sound"
	ClassVideo    Class = "video"
	ClassFile     Class = "file" // a file to save, such as an archive or a program
)

// kinds maps each class to the kind of its objects. If the kind is the zero value, the media type
// decides.
var kinds = map[Class]kind{
	ClassText: kindText, ClassDocument: kindDocument, ClassFrame: kindDocument, ClassMessage: kindComposed,
	ClassImage: kindImage, ClassSound: kindSound, ClassVideo: kindVideo, ClassFile: {},
}

// ClassOf returns the class for a media type. Images, sounds and videos that browsers can't
// show have the class ClassFile.
func ClassOf(mediaType string) Class {
	name := bareMediaType(mediaType)
	switch k, _ := kindOfType(name); {
	case k == kindDocument:
		return ClassDocument
	case k == kindText:
		return ClassText
	case messageTypes[name]:
		return ClassMessage
	case pictureTypes[name]:
		return ClassImage
	case soundTypes[name]:
		return ClassSound
	case videoTypes[name]:
		return ClassVideo
	}
	return ClassFile
}

// bareMediaType returns the media type in lower case and without parameters.
func bareMediaType(mediaType string) string {
	name, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(name))
}

var (
	documentTypes = map[string]bool{"text/html": true, "application/xhtml+xml": true}
	messageTypes  = map[string]bool{"message/rfc822": true, "message/news": true, "message/global": true}
	textTypes     = map[string]bool{
		"application/json": true, "application/x-ndjson": true, "application/xml": true, "application/javascript": true,
		"application/x-sh": true, "application/x-shellscript": true, "application/x-tex": true, "application/x-perl": true,
		"application/x-python": true, "application/toml": true, "application/yaml": true, "application/sql": true,
		"application/x-wais-source": true, "application/gopher-menu": true, "application/gopher+-menu": true,
	}
	pictureTypes = map[string]bool{
		"image/gif": true, "image/jpeg": true, "image/png": true, "image/webp": true, "image/avif": true, "image/bmp": true,
		"image/x-icon": true, "image/vnd.microsoft.icon": true, "image/svg+xml": true, "image/apng": true, "image/x-ms-bmp": true,
	}
	soundTypes = map[string]bool{
		"audio/mpeg": true, "audio/ogg": true, "audio/wav": true, "audio/x-wav": true, "audio/vnd.wave": true, "audio/flac": true,
		"audio/x-flac": true, "audio/aac": true, "audio/mp4": true, "audio/webm": true, "audio/opus": true,
	}
	videoTypes = map[string]bool{"video/mp4": true, "video/webm": true, "video/ogg": true}
)
