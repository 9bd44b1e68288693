package sheet

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// tokens reads all tokens as text: kind, name or characters, attributes.
func tokens(in io.Reader) (all []string, raw []byte, err error) {
	r := newXMLReader(in)
	for {
		kind, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, raw, nil
		}
		if err != nil {
			return all, raw, err
		}
		raw = append(raw, r.Raw()...)
		switch kind {
		case xmlStart:
			token := fmt.Sprintf("<%s", r.Name())
			for _, name := range []string{"a", "r", "s", "t", "ref"} {
				if value := r.Attribute(name); value != "" {
					token += fmt.Sprintf(" %s=%q", name, value)
				}
			}
			all = append(all, token)
		case xmlEnd:
			all = append(all, fmt.Sprintf("</%s", r.Name()))
		case xmlText:
			all = append(all, fmt.Sprintf("%q", r.AppendText(nil)))
		case xmlOther:
			all = append(all, "other")
		}
	}
}

// peer reads all tokens with encoding/xml.
func peer(text string) (all []string, err error) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			token := "<" + t.Name.Local
			for _, name := range []string{"a", "r", "s", "t", "ref"} {
				for _, a := range t.Attr {
					if a.Name.Space == "" && a.Name.Local == name && a.Value != "" {
						token += fmt.Sprintf(" %s=%q", name, a.Value)
						break
					}
				}
			}
			all = append(all, token)
		case xml.EndElement:
			all = append(all, "</"+t.Name.Local)
		case xml.CharData:
			all = append(all, fmt.Sprintf("%q", t))
		default:
			all = append(all, "other")
		}
	}
}

// samples are texts that are sound and texts that are not.
func samples() []string {
	return []string{
		"", "x", "<a/>", "<a></a>", "<a>", "</a>", "<a></b>", "<a><b></a></b>", "<a", "<", "<a><", "</", "<!", "<?", "<!-", "<![CDATA", "<a/", "<a /x>",
		`<?xml version="1.0" encoding="UTF-8"?><x:c r="A1" x:r='2' t = 's' ><x:v> 1 </x:v></x:c>`,
		`<a r="&lt;&#65;&#x4a;&amp;&quot;&apos;&gt;'" t='"'>&amp;amp;` + "\r\n\r \n\r</a>",
		`<a>&#0;</a>`, `<a>&#x1;</a>`, `<a>&#xD800;</a>`, `<a>&#xFFFE;</a>`, `<a>&#1114112;</a>`, `<a>&nbsp;</a>`, `<a>& </a>`, `<a>&#x;</a>`, `<a>&#;</a>`,
		`<a>&#00000000000000000000000000000000000000000000000000000000000000000000000065;</a>`,
		"<a>\x01</a>", "<a>\xff</a>", "<a>\uFFFE</a>", "<a>\uFFFD\U0010FFFF</a>", "<a t='\x0b'/>", "<a t='\xc3'/>", "<a t='&x'/>", "<a t='<'/>", "<a t='>]]>'/>",
		`<a>]]></a>`, `<a>]]&gt;</a>`, `<a>]&#93;></a>`, `<![CDATA[<b>&amp;]]]]>`, "<![CDATA[\r\n]]>", "<![CDATA[\x02]]>", "<![CDATA[", "<!-- - -->", "<!-- -- -->", "<!--->", "<!---->",
		`<a r=1/>`, `<a r/>`, `<a r="1"s="2"/>`, `<a r="1" r="2"/>`, `<1/>`, `<a:b:c/>`, `<:a/>`, `<a:/>`, `<:/>`, `<a r="1`, "<a\n\tr\r=\n'1'\n>\n</a\n>", "</a x>", "<a></a x>",
		`<?xml version="1.1"?>`, `<?xml encoding="windows-1252"?>`, `<?xml encoding='utf-8'?>`, `<?xml encoding=utf-8?>`, `<?a ?`, `<?x?>`, `<?>`, `<?x ??>`, "\uFEFF<a/>",
		"<a>" + strings.Repeat("x", 200<<10) + "</a>", "<a " + strings.Repeat(" r='1'", 40<<10) + "/>", "<!--" + strings.Repeat("x", 100<<10) + "-->",
	}
}

// sound reports whether a difference between a text's errors here and with encoding/xml is one of those that
// the package names.
func sound(t *testing.T, text string) {
	t.Helper()
	got, raw, err := tokens(strings.NewReader(text))
	want, wantErr := peer(text)
	if wantErr == nil && err != nil {
		if strings.Contains(err.Error(), "document type") || strings.Contains(err.Error(), "open elements") {
			return
		}
		t.Fatalf("%.200q: refused: %v", text, err)
	}
	if err == nil && wantErr != nil {
		t.Fatalf("%.200q: encoding/xml refuses it: %v", text, wantErr)
	}
	if err != nil {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%.200q: tokens (-encoding/xml +this package):\n%s", text, diff)
	}
	if string(raw) != text {
		t.Fatalf("%.200q: the bytes of the tokens are %.200q", text, raw)
	}
}

func TestTokensAndFaultsAreThoseOfEncodingXML(t *testing.T) {
	for _, text := range samples() {
		sound(t, text)
	}
}

// FuzzTokens compares the tokens and the faults with those of encoding/xml.
func FuzzTokens(f *testing.F) {
	for _, text := range samples() {
		if len(text) < 1000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) { sound(t, text) })
}

func TestTokensDoNotDependOnHowTheyAreRead(t *testing.T) {
	for _, text := range samples() {
		want, _, wantErr := tokens(strings.NewReader(text))
		got, _, err := tokens(iotest.OneByteReader(strings.NewReader(text)))
		if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%.100q: %v, want %v; tokens:\n%s", text, err, wantErr, diff)
		}
	}
}

// Every start of a text that ends too early is refused, however the buffer divides it.
func TestATokenThatIsCutIsRefused(t *testing.T) {
	const text = `<a r="1" t='2'><!-- c --><![CDATA[x]]><?p q?>b&amp;</a>`
	for length := 1; length < len(text); length++ {
		if _, _, err := tokens(strings.NewReader(text[:length])); err == nil {
			t.Errorf("%s was accepted", text[:length])
		}
	}
}

func TestTokensAreLimited(t *testing.T) {
	for name, in := range map[string]io.Reader{
		"a text":    io.MultiReader(strings.NewReader("<a>"), endless('x')),
		"a comment": io.MultiReader(strings.NewReader("<!--"), endless('x')),
		"a tag":     io.MultiReader(strings.NewReader("<a "), endless(' ')),
		"depth":     strings.NewReader(strings.Repeat("<a>", maxDepth+1)),
	} {
		var wrong *SyntaxError
		if _, _, err := tokens(in); !errors.As(err, &wrong) {
			t.Errorf("%s without an end: %v", name, err)
		}
	}
	if _, _, err := tokens(strings.NewReader("<!DOCTYPE a><a/>")); err == nil {
		t.Error("a document type declaration was accepted")
	}
}

// endless is a byte that comes again and again.
type endless byte

func (e endless) Read(data []byte) (int, error) {
	for i := range data {
		data[i] = byte(e)
	}
	return len(data), nil
}

func TestErrorsOfTheFileAreReturned(t *testing.T) {
	failed := errors.New("failed")
	if _, _, err := tokens(io.MultiReader(strings.NewReader("<a>"), iotest.ErrReader(failed))); !errors.Is(err, failed) {
		t.Error(err)
	}
}

func TestSkipEndsWithTheElement(t *testing.T) {
	for text, want := range map[string]string{"<a><b><c/>x</b><d/></a>": "<d/>", "<a><b/>x</a>": "x"} {
		r := newXMLReader(strings.NewReader(text))
		for range 2 {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Skip(); err != nil || !r.Is("b") || r.Depth() != 2 {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := r.Next(); err != nil || string(r.Raw()) != want {
			t.Errorf("%s: %s follows, %v", text, r.Raw(), err)
		}
	}
	if err := newXMLReader(strings.NewReader("<a>")).Skip(); err == nil {
		t.Error("an element that does not end was skipped")
	}
}

// Rest reads what Next reads, or nothing.
func TestRestAgreesWithNextOrReadsNothing(t *testing.T) {
	const before, behind = "<v>", "</v></c>"
	for content, want := range map[string]bool{
		"<v>12</v>": true, "<v></v>": true, "<v>Zo\u00eb \U0001F600</v>": true, "<v> \n\t</v>": true,
		"<v>&amp;</v>": false, "<v>\r</v>": false, "<v>]]></v>": false, "<v>\x01</v>": false, "<v>\xff</v>": false, "<v>\uFFFE</v>": false,
		"<v>1</v><f/>": false, "<v>1<!-- --></v>": false, "<v >1</v>": false, "<x:v>1</x:v>": false, "<f/><v>1</v>": false, "": false,
	} {
		text := "<r><c>" + content + "</c><d/></r>"
		r := newXMLReader(strings.NewReader(text))
		for range 2 {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
		}
		got, found := r.Rest(before, behind)
		if found != want || found && before+string(got)+"</v>" != content {
			t.Errorf("%q: %q, %v, want %v", content, got, found, want)
		}
		if !found {
			if !r.Is("c") || string(r.Raw()) != "<c>" {
				t.Errorf("%q: the token has changed to %q", content, r.Raw())
			}
			continue
		}
		if string(r.Raw()) != content+"</c>" || r.Depth() != 2 {
			t.Errorf("%q: the bytes are %q at depth %d", content, r.Raw(), r.Depth())
		}
		if kind, err := r.Next(); kind != xmlStart || err != nil || !r.Is("d") || r.Depth() != 2 {
			t.Errorf("%q: %v, %s follows, %v", content, kind, r.Raw(), err)
		}
	}
	r := newXMLReader(strings.NewReader("<c/>"))
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, found := r.Rest("", ""); found {
		t.Error("an element without content has a rest")
	}
}
