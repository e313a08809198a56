package tour

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

func makeExhibits() (map[string][]byte, error) {
	made := map[string][]byte{"sounds/1738.wav": sound("1738")}
	for _, p := range []struct {
		name, file string
		scale      int
		encode     func(*bytes.Buffer, *image.Paletted) error
	}{
		{"house", "house.png", 8, asPNG},
		{"at", "at.png", 8, asPNG},
		{"gopher", "gopher.gif", 8, asGIF},
		{"terminal", "terminal.gif", 8, asBlinking},
	} {
		rows, err := fs.ReadFile(exhibits, "pictures/"+p.name+".txt")
		if err != nil {
			return nil, err
		}
		picture, err := draw(strings.Fields(string(rows)), p.scale)
		if err != nil {
			return nil, fmt.Errorf("pictures/%s: %w", p.name, err)
		}
		var b bytes.Buffer
		if err := p.encode(&b, picture); err != nil {
			return nil, err
		}
		made["pictures/"+p.file] = b.Bytes()
	}
	return made, nil
}

// inks are the characters of the palette's colours in the rows of pictures.
const inks = ".#swlmdkyoObgrC"

var palette = color.Palette{
	color.RGBA{},
	color.RGBA{0x33, 0x55, 0x99, 0xFF},
	color.RGBA{0x22, 0x2B, 0x55, 0xFF}, // the sky at night
	color.RGBA{0xFF, 0xFF, 0xFF, 0xFF},
	color.RGBA{0xE8, 0xDF, 0xC8, 0xFF}, // light stone
	color.RGBA{0xC4, 0xB6, 0x96, 0xFF},
	color.RGBA{0x8F, 0x80, 0x66, 0xFF}, // dark stone
	color.RGBA{0x2B, 0x26, 0x22, 0xFF},
	color.RGBA{0xFF, 0xD2, 0x66, 0xFF}, // a lit window
	color.RGBA{0xA8, 0x6E, 0x3C, 0xFF}, // fur, or wood
	color.RGBA{0xE0, 0xB0, 0x80, 0xFF},
	color.RGBA{0x5B, 0x8F, 0xD0, 0xFF},
	color.RGBA{0x6F, 0xC2, 0x5E, 0xFF},
	color.RGBA{0xD0, 0x4A, 0x3A, 0xFF},
	color.RGBA{0xB8, 0xFF, 0xA8, 0xFF}, // the cursor, which may blink
}

// draw makes a picture from rows of characters. Each becomes a square of scale by scale
// pixels.
func draw(rows []string, scale int) (*image.Paletted, error) {
	if len(rows) == 0 {
		return nil, errors.New("the picture is empty")
	}
	p := image.NewPaletted(image.Rect(0, 0, len(rows[0])*scale, len(rows)*scale), palette)
	for y, row := range rows {
		if len(row) != len(rows[0]) {
			return nil, fmt.Errorf("row %d and row 1 differ in length", y+1)
		}
		for x := range len(row) {
			index := strings.IndexByte(inks, row[x])
			if index < 0 {
				return nil, fmt.Errorf("row %d: unknown colour %q", y+1, row[x])
			}
			for dot := range scale * scale {
				p.SetColorIndex(x*scale+dot%scale, y*scale+dot/scale, uint8(index))
			}
		}
	}
	return p, nil
}

func asPNG(b *bytes.Buffer, p *image.Paletted) error { return png.Encode(b, p) }
func asGIF(b *bytes.Buffer, p *image.Paletted) error { return gif.Encode(b, p, nil) }

// asBlinking makes an animated picture whose cursor blinks.
func asBlinking(b *bytes.Buffer, p *image.Paletted) error {
	off := image.NewPaletted(p.Rect, palette)
	cursor, dark := strings.Index(inks, "C"), strings.Index(inks, "k")
	off.Pix = bytes.ReplaceAll(p.Pix, []byte{uint8(cursor)}, []byte{uint8(dark)})
	const half = 53 // of a cycle, in hundredths of a second
	return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{p, off}, Delay: []int{half, half}})
}

// The tones of a telephone's digits, in hertz: one for the row of the key and one for
// its column (ITU-T Q.23).
var (
	rowTones    = [...]float64{697, 770, 852, 941}
	columnTones = [...]float64{1209, 1336, 1477}
)

// sound returns the sound of a telephone that dials, as a WAV file with 8,000 samples of
// 8 bits a second.
func sound(digits string) []byte {
	const (
		rate  = 8000
		tone  = rate * 12 / 100
		pause = rate * 8 / 100
	)
	var samples []byte
	for _, digit := range []byte(digits) {
		key := strings.IndexByte("123456789*0#", digit)
		row, column := rowTones[key/3], columnTones[key%3]
		for i := range tone {
			t := 2 * math.Pi * float64(i) / rate
			samples = append(samples, byte(128+45*(math.Sin(t*row)+math.Sin(t*column))))
		}
		samples = append(samples, bytes.Repeat([]byte{128}, pause)...)
	}
	var b bytes.Buffer
	b.WriteString("RIFF")
	binary.Write(&b, binary.LittleEndian, uint32(36+len(samples)))
	b.WriteString("WAVEfmt ")
	binary.Write(&b, binary.LittleEndian, struct {
		Size                 uint32
		Format, Channels     uint16
		Rate, OctetsASecond  uint32
		Align, BitsPerSample uint16
	}{16, 1, 1, rate, rate, 1, 8})
	b.WriteString("data")
	binary.Write(&b, binary.LittleEndian, uint32(len(samples)))
	b.Write(samples)
	return b.Bytes()
}

func archive(files map[string][]byte, prefix string) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		short, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		// The dates of zip files begin with those of MS-DOS.
		date := dated(name)
		if first := time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC); date.Before(first) {
			date = first
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: short, Method: zip.Deflate, Modified: date})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// index lists files, as FTP archives did.
func index(files map[string][]byte) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%8d  %s  %s\n", len(files[name]), dated(name).Format("2 Jan 2006"), name)
	}
	return b.Bytes()
}
