package csvtable

// SetChunkSize sets the chunk size, in bytes, of a list that was just opened.
func SetChunkSize(r *Reader, size int) { r.scanner.size = size }
