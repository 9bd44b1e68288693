// This file reads the texts of a workbook: how one is written in XML, and those that cells share.

package sheet

// appendTextItem reads up to the end of the element that in has started, such as si, and appends its text. That is
// the text of its child t, and of the children t of its parts r. Pronunciation and formats are left out.
// appendTextItem reports whether a t was there.
func appendTextItem(to []byte, in *xmlReader) (text []byte, found bool, err error) {
	depth, begin := in.Depth(), len(to)
	taking := 0 // depth of the t that is read
	for {
		kind, err := in.Next()
		if err != nil {
			return to, found, err
		}
		switch at := in.Depth(); {
		case kind == xmlStart:
			if at == depth+1 && !in.Is("t") && !in.Is("r") {
				if err := in.Skip(); err != nil {
					return to, found, err
				}
				continue
			}
			if at <= depth+2 && in.Is("t") {
				taking, found = at, true
			}
		case kind == xmlEnd && at == depth:
			return unmark(to, begin), found, nil
		case kind == xmlEnd && at == taking:
			taking = 0
		case kind == xmlText && at == taking:
			to = in.AppendText(to)
		}
	}
}
