package csvtable

// SetChunkSize has a list that was just opened read in chunks of so many bytes.
func SetChunkSize(r *Reader, size int) { r.scanner.size = size }
