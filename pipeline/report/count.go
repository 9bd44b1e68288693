package report

// AddCount adds a count to that of a field, which may have none yet.
func AddCount(counts Values[int64], name string, n int64) Values[int64] {
	for i := range counts {
		if counts[i].Name == name {
			counts[i].Value += n
			return counts
		}
	}
	return append(counts, Value[int64]{name, n})
}
