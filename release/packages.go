package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // the formats
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// packageOf returns a package in a format of nfpm with the files of an archive at the places of the system.
func (r Release) packageOf(format string, target Target, archived []File) (_ []byte, err error) {
	folder, err := os.MkdirTemp("", "release-package-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	info := &nfpm.Info{
		Name: "payonce", Arch: target.Processor, Platform: target.System, Version: r.Version, Section: "utils",
		Priority: "optional", Maintainer: "the developers of payonce",
		Description: "Fill in what a list of people or companies lacks, and never pay twice for it.",
		MTime:       r.Time,
	}
	info.RPM.BuildHost = "localhost"
	for _, script := range []struct {
		path       *string
		name, text string
	}{
		{&info.Scripts.PostInstall, "postinstall.sh", postInstall},
		{&info.Scripts.PreRemove, "preremove.sh", preRemove},
		{&info.Scripts.PostRemove, "postremove.sh", postRemove},
	} {
		*script.path = filepath.Join(folder, script.name)
		if err := os.WriteFile(*script.path, []byte(script.text), 0o600); err != nil {
			return nil, err
		}
	}
	for i, file := range archived {
		place, err := placeOf(file.Path)
		if err != nil {
			return nil, err
		}
		source := filepath.Join(folder, fmt.Sprint(i))
		if err := os.WriteFile(source, file.Content, 0o600); err != nil {
			return nil, err
		}
		info.Contents = append(info.Contents, &files.Content{
			Source: source, Destination: place, Type: files.TypeFile,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: file.Mode, MTime: r.Time},
		})
	}
	if err := nfpm.PrepareForPackager(nfpm.WithDefaults(info), format); err != nil {
		return nil, err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return nil, err
	}
	var made bytes.Buffer
	if err := packager.Package(info, &made); err != nil {
		return nil, err
	}
	return made.Bytes(), nil
}

// The scripts of the packages. The first creates the user of the units. The second stops the jobs before a removal.
// The third tells systemd which units are gone.
var (
	//go:embed postinstall.sh
	postInstall string
	//go:embed preremove.sh
	preRemove string
	//go:embed postremove.sh
	postRemove string
)

// placeOf returns where a package installs a file of an archive.
func placeOf(archived string) (string, error) {
	folder, name := path.Split(archived)
	switch folder {
	case "":
		if name == program {
			return "/usr/bin/" + program, nil
		}
		return "/usr/share/doc/payonce/" + name, nil
	case "man/":
		return "/usr/share/man/man" + strings.TrimPrefix(path.Ext(name), ".") + "/" + name, nil
	case "units/":
		return "/usr/lib/systemd/system/" + name, nil
	case "sysusers/":
		return "/usr/lib/sysusers.d/" + name, nil
	case "completions/":
		switch path.Ext(name) {
		case ".bash":
			return "/usr/share/bash-completion/completions/" + program, nil
		case ".fish":
			return "/usr/share/fish/vendor_completions.d/" + name, nil
		case ".zsh":
			return "/usr/share/zsh/vendor-completions/_" + program, nil
		}
	}
	return "", fmt.Errorf("nobody knows where %s is installed", archived)
}
