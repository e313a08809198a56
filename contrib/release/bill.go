package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// billOf returns the software bill of materials for the program b, as CycloneDX 1.6 JSON.
func billOf(r *repository, b binary, licences []licence) ([]byte, error) {
	sum := sha256.Sum256(b.octets)
	main := cyclonedx.Component{
		BOMRef: "pkg:golang/" + b.info.Main.Path + "@" + b.version(), Type: cyclonedx.ComponentTypeApplication,
		Name: b.info.Main.Path, Version: b.version(), PackageURL: "pkg:golang/" + b.info.Main.Path + "@" + b.version(),
		Licenses: licenceChoice("Apache-2.0"),
		Hashes:   &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
	}
	settings := []cyclonedx.Property{{Name: "go:version", Value: b.info.GoVersion}}
	for _, s := range b.info.Settings {
		settings = append(settings, cyclonedx.Property{Name: "go:build:" + s.Key, Value: s.Value})
	}
	main.Properties = &settings
	components := []cyclonedx.Component{}
	direct := []string{}
	for _, l := range licences {
		c := cyclonedx.Component{BOMRef: l.purl, Type: cyclonedx.ComponentTypeLibrary, Name: l.name, Version: l.version, PackageURL: l.purl, Licenses: licenceChoice(l.expression())}
		if text, ok := strings.CutPrefix(l.sum, "h1:"); ok {
			digest, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return nil, fmt.Errorf("sum of %s: %w", l.name, err)
			}
			c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(digest)}}
		}
		components = append(components, c)
		direct = append(direct, l.purl)
	}
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = serialOf(sum)
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.time.Format(time.RFC3339), Component: &main}
	bom.Components = &components
	// List all modules as direct dependencies of the program, because the build information
	// does not contain the dependencies of each module.
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: main.BOMRef, Dependencies: &direct}}
	var out bytes.Buffer
	err := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
	return out.Bytes(), err
}

func licenceChoice(expression string) *cyclonedx.Licenses {
	if strings.Contains(expression, " ") {
		return &cyclonedx.Licenses{{Expression: expression}}
	}
	return &cyclonedx.Licenses{{License: &cyclonedx.License{ID: expression}}}
}

// serialOf returns a version 8 UUID (RFC 9562) that depends only on the checksum of the program.
func serialOf(sum [sha256.Size]byte) string {
	u := sum[:16]
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
