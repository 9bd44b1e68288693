package sheet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
)

const (
	// maxMemory is the most bytes of texts in memory. More are put into a temporary file.
	maxMemory = 8 << 20
	// A group of texts is read from the file at once. It ends with groupTexts texts or groupBytes bytes.
	groupTexts = 16
	groupBytes = 16 << 10
	// At most cachedGroups groups that were read stay in memory, none larger than maxCached.
	cachedGroups = 128
	maxCached    = 256 << 10
)

// sharedTexts has the texts that cells share, by number from 0. Its memory is bounded, apart from about one byte
// for each text.
type sharedTexts struct {
	texts  []byte   // in memory, each behind its length
	file   *os.File // nil while all texts are in memory
	left   string   // path of the file, if it could not be removed at once
	size   int64    // of all texts with their lengths
	groups []group
	count  int
	cache  [cachedGroups]cached
}

// group is a range of texts.
type group struct {
	first  int   // number of its first text
	offset int64 // of that text
}

// cached is a group that was read.
type cached struct {
	group int // from 1; 0 for none
	texts []byte
}

// readSharedTexts reads the part with the shared texts. Shared needs a Close.
func readSharedTexts(part io.Reader) (*sharedTexts, error) {
	s := &sharedTexts{}
	if err := s.read(newXMLReader(part)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *sharedTexts) read(in *xmlReader) error {
	var text []byte
	for {
		kind, err := in.Next()
		if errors.Is(err, io.EOF) {
			if s.file == nil {
				return nil
			}
			err := s.spill()
			s.texts = nil
			return err
		}
		if err != nil {
			return err
		}
		if kind != xmlStart || in.Depth() != 2 || !in.Is("si") {
			continue
		}
		if value, found := in.Rest("<t>", "</t></si>"); found {
			text = unmark(append(text[:0], value...), 0)
		} else if text, _, err = appendTextItem(text[:0], in); err != nil {
			return err
		}
		if err := s.add(text); err != nil {
			return err
		}
	}
}

// add adds a text.
func (s *sharedTexts) add(text []byte) error {
	last := len(s.groups) - 1
	if last < 0 || s.count-s.groups[last].first >= groupTexts || s.size-s.groups[last].offset >= groupBytes {
		if len(s.texts) > maxMemory {
			if err := s.spill(); err != nil {
				return err
			}
		}
		s.groups = append(s.groups, group{s.count, s.size})
	}
	before := len(s.texts)
	s.texts = append(binary.AppendUvarint(s.texts, uint64(len(text))), text...)
	s.size += int64(len(s.texts) - before)
	s.count++
	return nil
}

// spill puts the texts in memory into the file.
func (s *sharedTexts) spill() error {
	if s.file == nil {
		file, err := os.CreateTemp("", "texts-*") // with mode 0600
		if err != nil {
			return fmt.Errorf("putting the texts of the workbook into a temporary file: %w", err)
		}
		s.file = file
		if err := os.Remove(file.Name()); err != nil { // no other process can open it
			s.left = file.Name()
		}
	}
	if _, err := s.file.Write(s.texts); err != nil {
		return fmt.Errorf("putting the texts of the workbook into a temporary file: %w", err)
	}
	s.texts = s.texts[:0]
	return nil
}

// Append appends the text with a number.
func (s *sharedTexts) Append(to []byte, number int) ([]byte, error) {
	if number < 0 || number >= s.count {
		return to, fmt.Errorf("it has no shared text %d; it has %d shared texts", number, s.count)
	}
	at := sort.Search(len(s.groups), func(i int) bool { return s.groups[i].first > number }) - 1
	texts, err := s.group(at)
	if err != nil {
		return to, err
	}
	for range number - s.groups[at].first {
		length, size := binary.Uvarint(texts)
		texts = texts[size+int(length):]
	}
	length, size := binary.Uvarint(texts)
	return append(to, texts[size:size+int(length)]...), nil
}

// group returns the texts of a group.
func (s *sharedTexts) group(at int) ([]byte, error) {
	from, to := s.groups[at].offset, s.size
	if at+1 < len(s.groups) {
		to = s.groups[at+1].offset
	}
	if s.file == nil {
		return s.texts[from:to], nil
	}
	c := &s.cache[at%cachedGroups]
	if c.group == at+1 {
		return c.texts, nil
	}
	texts := c.texts
	if length := int(to - from); length > maxCached {
		texts = make([]byte, length)
	} else {
		texts = slices.Grow(texts[:0], length)[:length]
		*c = cached{0, texts}
	}
	if _, err := s.file.ReadAt(texts, from); err != nil {
		return nil, fmt.Errorf("reading the temporary file with the texts of the workbook: %w", err)
	}
	if len(texts) <= maxCached {
		c.group = at + 1
	}
	return texts, nil
}

// Close removes the temporary file.
func (s *sharedTexts) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.left != "" {
		err = errors.Join(err, os.Remove(s.left))
	}
	return err
}
