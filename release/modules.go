package main

import (
	"bytes"
	"debug/buildinfo"
	"runtime/debug"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// modulesOf returns the modules that a program was built from, in the form of CycloneDX.
func modulesOf(built, version string, at time.Time) ([]byte, error) {
	info, err := buildinfo.ReadFile(built)
	if err != nil {
		return nil, err
	}
	list := cyclonedx.NewBOM()
	list.Metadata = &cyclonedx.Metadata{
		Timestamp: at.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			Type: cyclonedx.ComponentTypeApplication, BOMRef: program, Name: program, Version: version,
		},
	}
	components := []cyclonedx.Component{{
		Type: cyclonedx.ComponentTypePlatform, BOMRef: "go", Name: "go", Version: info.GoVersion,
	}}
	for _, module := range info.Deps {
		components = append(components, component(module))
	}
	list.Components = &components
	var encoded bytes.Buffer
	encoder := cyclonedx.NewBOMEncoder(&encoded, cyclonedx.BOMFileFormatJSON)
	if err := encoder.SetPretty(true).Encode(list); err != nil {
		return nil, err
	}
	return encoded.Bytes(), nil
}

func component(module *debug.Module) cyclonedx.Component {
	if module.Replace != nil {
		module = module.Replace
	}
	url := "pkg:golang/" + module.Path + "@" + module.Version
	return cyclonedx.Component{
		Type: cyclonedx.ComponentTypeLibrary, BOMRef: url, Name: module.Path, Version: module.Version, PackageURL: url,
	}
}
