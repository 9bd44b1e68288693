package csvtable_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/io/csvtable"
	"payonce/io/table"
)

func inUTF16(text string, order binary.AppendByteOrder) string {
	var encoded []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		encoded = order.AppendUint16(encoded, unit)
	}
	return string(encoded)
}

func littleEndian(text string) string { return inUTF16(text, binary.LittleEndian) }

func bigEndian(text string) string { return inUTF16(text, binary.BigEndian) }

func TestEncodingIsRecognised(t *testing.T) {
	const list = "name,town\nJosé,Łódź\n"
	// The last character of what decides, 256 KiB, is cut in two.
	cut := "name,town\n" + strings.Repeat("Jose,Lodz\n", 26_213) + "Ren" + "é,x\n"
	for _, test := range []struct {
		name, list string
		declared   csvtable.Encoding
		want       csvtable.Encoding
		guessed    bool
	}{
		{"ASCII", "name,town\n", "", csvtable.UTF8, false},
		{"UTF-8", list, "", csvtable.UTF8, false},
		{"UTF-8 with a mark", "\ufeff" + list, "", csvtable.UTF8, false},
		{"UTF-16LE with a mark", littleEndian("\ufeff" + list), "", csvtable.UTF16LE, false},
		{"UTF-16BE with a mark", bigEndian("\ufeff" + list), "", csvtable.UTF16BE, false},
		{"UTF-16LE", littleEndian(list), "", csvtable.UTF16LE, true},
		{"UTF-16BE", bigEndian(list), "", csvtable.UTF16BE, true},
		{"UTF-16LE declared", littleEndian("名前,町\n"), csvtable.UTF16LE, csvtable.UTF16LE, false},
		{"a mark goes before what is declared", bigEndian("\ufeff" + list), csvtable.UTF16LE, csvtable.UTF16BE, false},
		{"Windows-1252", "name,town\nJos\xe9,K\xf6ln\n", "", csvtable.Windows1252, true},
		{"Windows-1252 signs", "name,town\nO\x92Neill,\x93Caf\xe9\x94 \x96 5 \x80\n", "", csvtable.Windows1252, true},
		{"Windows-1252 declared", "name,town\nJose,Koln\n", csvtable.Windows1252, csvtable.Windows1252, false},
		{"UTF-8 declared", "name,town\nJos\xe9,K\xf6ln\n", csvtable.UTF8, csvtable.UTF8, false},
		{"Cyrillic of one byte", "name,town\n\xc8\xe2\xe0\xed,\xcc\xee\xf1\xea\xe2\xe0\n", "", csvtable.UTF8, true},
		{"Polish of one byte", "name,town\nPa\xb3ka,\xa3\xf3d\x9f\nWa\xb3\xeasa,Gda\xf1sk\n", "", csvtable.UTF8, true},
		{"a byte without meaning", "name,town\nJos\x81,\x8d\n", "", csvtable.UTF8, true},
		{"UTF-8 cut by the sample", cut, "", csvtable.UTF8, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := csvtable.NewReader(strings.NewReader(test.list), "list.csv", csvtable.Options{Encoding: test.declared})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Dialect().Encoding; got != test.want || r.EncodingGuessed() != test.guessed {
				t.Errorf("%s, guessed %v; want %s, guessed %v", got, r.EncodingGuessed(), test.want, test.guessed)
			}
		})
	}
}

func TestParseEncoding(t *testing.T) {
	for name, want := range map[string]csvtable.Encoding{
		"utf-8": csvtable.UTF8, "UTF8": csvtable.UTF8, "utf-16le": csvtable.UTF16LE, "UTF-16 BE": csvtable.UTF16BE,
		"utf-16": csvtable.UTF16LE, "windows-1252": csvtable.Windows1252, "CP1252": csvtable.Windows1252,
		"latin1": csvtable.Windows1252, "ISO-8859-1": csvtable.Windows1252,
	} {
		if got, err := csvtable.ParseEncoding(name); err != nil || got != want {
			t.Errorf("%s is %s, %v, want %s", name, got, err, want)
		}
	}
	for _, name := range []string{"", "koi8-r", "utf-7"} {
		if got, err := csvtable.ParseEncoding(name); err == nil || !strings.Contains(err.Error(), "Windows-1252") {
			t.Errorf("%q is %s, %v, want an error that names the encodings", name, got, err)
		}
	}
}

// encodings encode text that Windows-1252 holds.
func encodings() map[csvtable.Encoding]func(string) string {
	return map[csvtable.Encoding]func(string) string{
		csvtable.UTF8:    func(text string) string { return text },
		csvtable.UTF16LE: func(text string) string { return littleEndian("\ufeff" + text) },
		csvtable.UTF16BE: func(text string) string { return bigEndian("\ufeff" + text) },
		csvtable.Windows1252: func(text string) string {
			var encoded []byte
			for _, char := range text {
				if char == '€' {
					char = 0x80
				}
				encoded = append(encoded, byte(char))
			}
			return string(encoded)
		},
	}
}

func TestOutputInTheEncodingOfTheInput(t *testing.T) {
	const list, want = "name;town\r\nJosé;\r\n\r\n\"Å\nø\";ß", "name;town;price €\r\nJosé;Köln;5 €\r\n\r\n\"Å\nø\";Köln;5 €"
	for encoding, encode := range encodings() {
		var out bytes.Buffer
		r, err := csvtable.NewReader(strings.NewReader(encode(list)), "list.csv", csvtable.Options{Encoding: encoding})
		if err != nil {
			t.Fatal(err)
		}
		w := csvtable.NewWriter(&out, r, columns("price €"))
		err = copyRows(w, r, []table.Fill{{Column: 1, Value: "Köln"}}, []string{"5 €"})
		if err := errors.Join(err, w.Close(), r.Close()); err != nil {
			t.Fatalf("%s: %v", encoding, err)
		}
		if diff := cmp.Diff(encode(want), out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", encoding, diff)
		}
	}
}

// Every byte of Windows-1252 comes back, also those that it gives no meaning.
func TestBytesOfWindows1252(t *testing.T) {
	list := "name,text\n"
	for char := 0x20; char < 0x100; char++ {
		list += fmt.Sprintf("%d,\"x%cy\"\n", char, rune(char))
	}
	encoded := strings.ReplaceAll(encodings()[csvtable.Windows1252](list), "\"x\"y\"", "\"x\"\"y\"")
	r, err := csvtable.NewReader(strings.NewReader(encoded), "list.csv", csvtable.Options{Encoding: csvtable.Windows1252})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(encoded, written(t, r, nil, nil)); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestAnyUTF16TextComesBackUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shift := strings.Repeat("é", rapid.IntRange(0, 20_000).Draw(t, "shift")) // against the reads
		value := strings.ReplaceAll(rapid.String().Draw(t, "text"), "\x00", "")
		text := "a,b\n" + shift + "," + quote(value).raw + "\n"
		encoded := littleEndian("\ufeff" + text)
		r, err := csvtable.NewReader(strings.NewReader(encoded), "list.csv", csvtable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(encoded, written(t, r, nil, nil)); diff != "" {
			t.Fatalf("list (-want +got):\n%s", diff)
		}
	})
}

func TestBrokenUTF16(t *testing.T) {
	const alone, within = "the text has half of a UTF-16 surrogate pair here", "the UTF-16 text ends within a character"
	for _, test := range []struct {
		name, list   string
		line, column int64
		reason       string
	}{
		{"high half alone", littleEndian("\ufeffa,b\n1,é") + "\x00\xd8" + littleEndian("x\n"), 2, 5, alone},
		{"low half alone", littleEndian("\ufeffa,b\n1,2\n3,") + "\x00\xdc" + littleEndian("x\n"), 3, 3, alone},
		{"high half at the end", littleEndian("\ufeffa,b\n1,2") + "\x00\xd8", 2, 4, alone},
		{"in the header", bigEndian("\ufeffa") + "\xd8\x00\xd8\x00" + bigEndian(",b\n"), 1, 5, alone},
		{"odd byte", littleEndian("\ufeffa,b\n1,2") + "3", 2, 4, within},
		{"far in the list", littleEndian("\ufeffa,b\n"+strings.Repeat("1,2\n", 100_000)) + "\x00\xd8", 100_002, 1, alone},
	} {
		r, err := csvtable.NewReader(strings.NewReader(test.list), "list.csv", csvtable.Options{})
		if err == nil {
			_, err = readAll(r)
		}
		var got *table.Error
		if !errors.As(err, &got) || got.Line != test.line || got.Column != test.column || got.Reason != test.reason || got.Hint == "" {
			t.Errorf("%s: %v, want list.csv:%d:%d: %s", test.name, err, test.line, test.column, test.reason)
		}
	}
}

func TestValueThatTheEncodingLacks(t *testing.T) {
	for _, test := range []struct {
		name     string
		encoding csvtable.Encoding
		value    string
		want     string // in the error; "" for none
	}{
		{"UTF-8 holds all", csvtable.UTF8, "Łódź \xff", ""},
		{"UTF-16 holds all text", csvtable.UTF16LE, "Łódź 𝄞 \ufffd", ""},
		{"UTF-16 holds text alone", csvtable.UTF16LE, "x\xff", `which cannot be written in UTF-16LE`},
		{"Windows-1252 holds some", csvtable.Windows1252, "café – 5 € …", ""},
		{"Windows-1252 holds no Ł", csvtable.Windows1252, "Łódź", `list.csv:2: the value for "town" holds 'Ł' (U+0141), which cannot be written in Windows-1252; nothing is lost or paid twice: write the output as .xlsx or .parquet, or save the list as UTF-8 and run again`},
		{"not as another byte", csvtable.Windows1252, "\ufffd", `U+FFFD`},
	} {
		t.Run(test.name, func(t *testing.T) {
			encode := encodings()[test.encoding]
			r, err := csvtable.NewReader(strings.NewReader(encode("name,town\nJosé,\n")), "list.csv", csvtable.Options{Encoding: test.encoding})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			w := csvtable.NewWriter(&out, r, nil)
			err = copyRows(w, r, []table.Fill{{Column: 1, Value: test.value}}, nil)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("err = %v, want %q in it", err, test.want)
			}
			if err := errors.Join(w.Close(), r.Close()); err != nil {
				t.Error(err)
			}
			if test.want != "" && out.String() != encode("name,town\n") {
				t.Errorf("after a refused value: %q", out.String())
			}
		})
	}
}

// A list in another encoding can be written as UTF-8.
func TestOutputInAnotherEncoding(t *testing.T) {
	r := newReader(t, "name;town\r\nJos\xe9;\"K\xf6ln\"\r\n")
	dialect := r.Dialect()
	dialect.Encoding = csvtable.UTF8
	var out bytes.Buffer
	w := csvtable.NewEncoder(&out, dialect, r.Schema(), columns("new"))
	if err := errors.Join(copyRows(w, r, nil, []string{"Łódź"}), w.Close()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("name;town;new\r\nJosé;\"Köln\";Łódź\r\n", out.String()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}
