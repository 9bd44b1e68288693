package sheet

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// item reads the text of an element.
func item(t *testing.T, element string) (string, bool) {
	t.Helper()
	in := newXMLReader(strings.NewReader(element))
	if _, err := in.Next(); err != nil {
		t.Fatal(err)
	}
	text, found, err := appendTextItem([]byte("before"), in)
	if err != nil {
		t.Fatalf("%s: %v", element, err)
	}
	if _, err := in.Next(); err != io.EOF {
		t.Errorf("%s: more follows: %v", element, err)
	}
	return strings.TrimPrefix(string(text), "before"), found
}

func TestTheTextOfAnItem(t *testing.T) {
	for element, want := range map[string]string{
		`<si><t>a</t></si>`:                                             "a",
		`<si><t xml:space="preserve"> a </t></si>`:                      " a ",
		`<si><r><rPr><b/></rPr><t>a</t></r><r><t>b &amp; </t></r></si>`: "ab & ",
		`<x:si xmlns:x="u"><x:t>a</x:t></x:si>`:                         "a",
		`<si><t>Zo<!-- c --><![CDATA[<&>]]></t><rPh sb="0" eb="1"><t>zzz</t></rPh><phoneticPr fontId="1"/></si>`: "Zo<&>",
		`<is><t>_x0041__x005F_x0042_ _x000D_ _xD83D_ _x00e9_ _x12_ __x0041_</t></is>`:                            "A_x0042_ \r  é _x12_ _A",
		`<si><r><t>_x00</t></r><r><t>41_</t></r></si>`:                                                           "A",
		"<si>\n  <t>a</t>\n</si>": "a",
		`<si><t/></si>`:           "",
	} {
		if got, found := item(t, element); got != want || !found {
			t.Errorf("%s: %q, %v, want %q", element, got, found, want)
		}
	}
	for _, element := range []string{`<si/>`, `<si></si>`, `<is><rPh><t>a</t></rPh></is>`} {
		if got, found := item(t, element); got != "" || found {
			t.Errorf("%s: %q, %v", element, got, found)
		}
	}
	in := newXMLReader(strings.NewReader("<si><t>a"))
	_, _ = in.Next()
	if _, _, err := appendTextItem(nil, in); err == nil {
		t.Error("an item that does not end was read")
	}
}

func TestTextsComeBackFromXML(t *testing.T) {
	for _, text := range []string{
		"", "a", "<&>\"'", "a\tb\nc\rd", "\x01\x1f", "_x0041_", "_x0041_x0042_", "__x0041_", "_x004_", "_", "_x", "\ufffe\uffff", "é\ufffd", "\U0001F600\xef\xbb\xbf",
	} {
		element := "<si><t>" + string(appendXML([]byte{}, text)) + "</t></si>"
		if got, _ := item(t, element); got != text {
			t.Errorf("%q became %s and then %q", text, element, got)
		}
	}
}

func TestUnmarkedFindsCharactersThatXMLForbids(t *testing.T) {
	for text, want := range map[string]rune{"a\x0bb": 0x0b, "é\ufffe": 0xfffe, "_\uffff": 0xffff} {
		if char, found := unmarked(text); !found || char != want {
			t.Errorf("%q: %U, %v", text, char, found)
		}
	}
	for _, text := range []string{"", "a\t\r\nb", "é\ufffd\U0001F600", "_x0001_&"} {
		if char, found := unmarked(text); found {
			t.Errorf("%q: %U", text, char)
		}
	}
}

// textsPart returns a part with shared texts.
func textsPart(count int, text func(number int) string) io.Reader {
	reader, writer := io.Pipe()
	go func() {
		_, _ = io.WriteString(writer, `<?xml version="1.0"?><sst xmlns="u">`)
		for i := range count {
			_, _ = fmt.Fprintf(writer, "<si><t>%s</t></si>", text(i))
		}
		_, _ = io.WriteString(writer, "</sst>")
		_ = writer.Close()
	}()
	return reader
}

// Texts are the same in memory and in a file, in any order.
func TestSharedTextsAreFoundByNumber(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	long := strings.Repeat("x", 40_000)
	for name, c := range map[string]struct {
		count  int
		text   func(int) string
		inFile bool
	}{
		"none":           {0, nil, false},
		"few":            {100, func(i int) string { return fmt.Sprint("text ", i) }, false},
		"empty":          {100, func(int) string { return "" }, false},
		"long, and more": {500, func(i int) string { return fmt.Sprint(i, long[i:]) }, true},
		"many":           {700_000, func(i int) string { return fmt.Sprint("a text with the number ", i) }, true},
		"of all lengths": {600, func(i int) string { return fmt.Sprint(i, long[:(i*7919)%40_000]) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := readSharedTexts(textsPart(c.count, c.text))
			if err != nil {
				t.Fatal(err)
			}
			if (s.file != nil) != c.inFile {
				t.Errorf("in a file: %v", s.file != nil)
			}
			for i := range min(c.count, 5000) {
				for _, number := range []int{i, (i * 7919) % c.count, c.count - 1 - i} {
					if got, err := s.Append([]byte("-"), number); err != nil || string(got) != "-"+c.text(number) {
						t.Fatalf("text %d is %.50q, %v", number, got, err)
					}
				}
			}
			for _, number := range []int{-1, c.count, 1 << 40} {
				if _, err := s.Append(nil, number); err == nil {
					t.Errorf("there is a text %d", number)
				}
			}
			if left, _ := os.ReadDir(temp); len(left) > 0 {
				t.Errorf("other processes can open %v", left)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSharedTextsThatCannotBeRead(t *testing.T) {
	if _, err := readSharedTexts(strings.NewReader("<sst><si><t>a</t></si>")); err == nil {
		t.Error("a part that does not end was read")
	}
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	in := textsPart(1000, func(int) string { return strings.Repeat("x", 30_000) })
	if _, err := readSharedTexts(in); err == nil || !strings.Contains(err.Error(), "temporary file") {
		t.Errorf("without a place for a temporary file: %v", err)
	}
	_, _ = io.Copy(io.Discard, in)
}
