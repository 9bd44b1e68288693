package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"path"
	"time"
)

// pack returns a compressed archive of files in a folder. The files have no owner, and the time that is given.
func pack(folder string, files []File, at time.Time) ([]byte, error) {
	var packed bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(compressed)
	for _, file := range files {
		if err := archive.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg, Name: path.Join(folder, file.Path), Mode: int64(file.Mode), Size: int64(len(file.Content)),
			ModTime: at, Format: tar.FormatPAX,
		}); err != nil {
			return nil, err
		}
		if _, err := archive.Write(file.Content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}
