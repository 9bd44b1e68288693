// Package texts reads the texts of a workbook: how one is written in XML, and those that cells share.
package texts

import "payonce/io/sheet/markup"

// AppendItem reads up to the end of the element that in has started, such as si, and appends its text. That is
// the text of its child t, and of the children t of its parts r. Pronunciation and formats are left out.
// AppendItem reports whether a t was there.
func AppendItem(to []byte, in *markup.Reader) (text []byte, found bool, err error) {
	depth, begin := in.Depth(), len(to)
	taking := 0 // depth of the t that is read
	for {
		kind, err := in.Next()
		if err != nil {
			return to, found, err
		}
		switch at := in.Depth(); {
		case kind == markup.Start:
			if at == depth+1 && !in.Is("t") && !in.Is("r") {
				if err := in.Skip(); err != nil {
					return to, found, err
				}
				continue
			}
			if at <= depth+2 && in.Is("t") {
				taking, found = at, true
			}
		case kind == markup.End && at == depth:
			return Unmark(to, begin), found, nil
		case kind == markup.End && at == taking:
			taking = 0
		case kind == markup.Text && at == taking:
			to = in.AppendText(to)
		}
	}
}
