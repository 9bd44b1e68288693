package parquettable

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// decompressor decompresses pages. It never writes more than the size that it is given.
type decompressor struct {
	kind  compress.Compression
	codec compress.Codec
	zstd  *zstd.Decoder // nil before its first use
}

// use makes d decompress one kind of compression.
func (d *decompressor) use(kind compress.Compression) (err error) {
	if d.kind, d.codec = kind, nil; kind == compress.Codecs.Uncompressed {
		return nil
	}
	if d.codec, err = compress.GetCodec(kind); err != nil {
		return UnsupportedCompression(kind.String())
	}
	if kind == compress.Codecs.Zstd && d.zstd == nil {
		d.zstd, err = zstd.NewReader(nil,
			zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxPage))
	}
	return err
}

// possible reports whether a page of this compressed size can have this uncompressed size.
func (d *decompressor) possible(compressed, uncompressed int64) bool {
	var most int64 // the most uncompressed bytes for one compressed byte
	switch d.kind {
	case compress.Codecs.Uncompressed:
		return compressed == uncompressed
	case compress.Codecs.Snappy:
		most = 64
	case compress.Codecs.Lz4Raw:
		most = 256
	case compress.Codecs.Gzip:
		most = 1040
	case compress.Codecs.Brotli: // 16 MiB in some hundred bits
		most = 2 << 20
	default: // a block of 128 KiB that repeats one byte
		most = 64 << 10
	}
	return uncompressed/most <= compressed
}

// decode decompresses raw to length bytes. It reuses the memory of data when that is large enough.
func (d *decompressor) decode(data, raw []byte, length int64) ([]byte, error) {
	data = grow(data, length)
	if length == 0 { // some decompressors fail with an empty destination
		return data, nil
	}
	var decoded []byte
	var err error
	switch d.kind {
	case compress.Codecs.Uncompressed:
		decoded = data[:copy(data, raw)]
	case compress.Codecs.Zstd:
		decoded, err = d.zstd.DecodeAll(raw, data[:0:length])
	case compress.Codecs.Snappy:
		// The library allocates the length that the data claims.
		if claimed, _ := binary.Uvarint(raw); claimed != uint64(length) {
			return nil, damagef("a page of %d bytes claims to hold %d", length, claimed)
		}
		fallthrough
	default:
		decoded, err = compress.Decode(d.codec, data, raw)
	}
	switch {
	case err != nil:
		return nil, damagef("a page cannot be decompressed: %v", err)
	case int64(len(decoded)) != length:
		return nil, damagef("a page holds %d bytes instead of %d", len(decoded), length)
	case &decoded[0] != &data[0]:
		copy(data, decoded)
	}
	return data, nil
}

func (d *decompressor) close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}
