package columns

import (
	"bytes"
	"errors"
	"hash/maphash"
	"strings"

	"payonce/io/table"
)

const (
	// sampleRows is how many rows of a list are looked at.
	sampleRows = 500
	// sampleCells is how many cells of a list are looked at, so that a list with many columns takes no more
	// time than another.
	sampleCells = 50_000
)

// Sample says what the cells of the first rows hold, by column. The zero value knows nothing.
type Sample []Content

// Content says what the cells of one column hold.
type Content struct {
	kinds    [numKinds]int
	distinct map[uint64]bool // values that are not blank
	words    int             // texts with a space or a comma in them
	reversed int             // texts of the form "Last, First"
	given    int             // those of them with a usual given name
	shared   int             // mailboxes of a whole company, such as info@
	uids     int             // numbers of companies in Switzerland or VAT numbers in Austria, which both call UID
	taxes    int             // those of them that are VAT numbers
}

// errEnough ends the reading of a sample.
var errEnough = errors.New("enough")

// Take reads the first rows of a list that was opened for some columns, all for nil. A fault of the list ends
// the sample: the scan of the list reports it.
func Take(reader table.Reader, opened []int) Sample {
	schema := reader.Schema()
	columns := len(schema.Columns)
	sample := make(Sample, columns)
	if opened == nil {
		for i := range columns {
			opened = append(opened, i)
		}
	}
	rows, seed := min(sampleRows, max(sampleCells/max(columns, 1), 20)), maphash.MakeSeed()
	for rows > 0 {
		block, err := reader.Next()
		if err != nil {
			return sample
		}
		err = block.Each(func(line table.Row) error {
			if repeatsHeader(line, schema, opened) {
				return nil
			}
			for _, column := range opened {
				sample[column].add(line.Cell(column), seed)
			}
			if rows--; rows == 0 {
				return errEnough
			}
			return nil
		})
		block.Release()
		if err != nil {
			return sample
		}
	}
	return sample
}

// repeatsHeader reports whether a row has the names of the columns in its cells.
func repeatsHeader(line table.Row, schema table.Schema, opened []int) bool {
	for _, column := range opened {
		if string(line.Cell(column)) != schema.Columns[column] {
			return false
		}
	}
	return len(opened) > 1
}

func (c *Content) add(cell []byte, seed maphash.Seed) {
	kind := KindOf(cell)
	c.kinds[kind]++
	if kind == Blank {
		return
	}
	if kind == Text && bytes.ContainsAny(trim(cell), " ,") {
		c.words++
		isReversed, isGiven := IsReversed(string(cell))
		if isReversed {
			c.reversed++
		}
		if isGiven {
			c.given++
		}
	}
	if isUID, isVAT := uidOf(cell); isUID {
		c.uids++
		if isVAT {
			c.taxes++
		}
	}
	if kind == EmailAddress && isSharedMailbox(cell) {
		c.shared++
	}
	if c.distinct == nil {
		c.distinct = map[uint64]bool{}
	}
	c.distinct[maphash.Bytes(seed, cell)] = true
}

// of returns the content of a column; an empty one when nothing is known.
func (s Sample) of(column int) *Content {
	if column < len(s) {
		return &s[column]
	}
	return &Content{}
}

// filled returns how many cells are not blank.
func (c *Content) filled() (n int) {
	for _, count := range c.kinds[Text:] {
		n += count
	}
	return n
}

// of counts the cells of some kinds.
func (c *Content) of(kinds ...Kind) (n int) {
	for _, kind := range kinds {
		n += c.kinds[kind]
	}
	return n
}

// most returns the kind of most cells that are not blank.
func (c *Content) most() Kind {
	most := Blank
	for kind := Text; kind < numKinds; kind++ {
		if c.kinds[kind] > 0 && (most == Blank || c.kinds[kind] > c.kinds[most]) {
			most = kind
		}
	}
	return most
}

// areReversedNames reports whether the cells are names of persons in the form "Last, First": nearly all have the form,
// and most of them a usual given name.
func (c *Content) areReversedNames() bool {
	return c.filled() > 0 && 5*c.reversed >= 4*c.filled() && 2*c.given >= c.filled() && !c.repeats()
}

// areShared reports whether nearly all emails are mailboxes of whole companies, as a person's own never are.
func (c *Content) areShared() bool { return c.shared > 0 && 5*c.shared >= 4*c.of(EmailAddress) }

// areUIDs reports whether most cells are numbers that are called UID: registration numbers, or VAT numbers.
func (c *Content) areUIDs(role Role) bool {
	return 2*c.uids > c.filled() && (role == VATNumber) == (2*c.taxes > c.uids)
}

// uidOf reports whether a cell is a UID: a registration number of Switzerland such as "CHE-123.456.789", a VAT number
// of Switzerland, which has "MWST", "TVA" or "IVA" behind it, or a VAT number of the EU or of the United Kingdom such
// as "ATU12345678".
func uidOf(cell []byte) (isUID, isVAT bool) {
	if len(cell) < len("DK12345678") || len(cell) > 24 {
		return false, false
	}
	number := strings.ToUpper(simplify(string(cell)))
	digits, isSwiss := strings.CutPrefix(number, "CHE")
	if isSwiss {
		bare := strings.TrimRight(digits, "MWSTVAI")
		return len(bare) == 9 && areDigits(bare), bare != digits
	}
	return isEuropeanVAT(number), true
}

// vatCountries are the codes with which VAT numbers of the EU and of the United Kingdom begin.
const vatCountries = " AT BE BG CY CZ DE DK EE EL ES FI FR GB HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI "

// isEuropeanVAT reports whether a number in capitals has the form of a VAT number: the code of a country, then 8 to 12
// letters and digits, of which at most three are letters.
func isEuropeanVAT(number string) bool {
	if len(number) < len("DK12345678") || !strings.Contains(vatCountries, " "+number[:2]+" ") {
		return false
	}
	rest := number[2:]
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, rest)
	return len(rest) <= 12 && len(digits) >= 7 && len(rest)-len(digits) <= 3
}

func areDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// repeats reports whether nearly all cells hold one of a few values, as those of a sender do.
func (c *Content) repeats() bool { return c.filled() >= 20 && len(c.distinct)*20 <= c.filled() }

// fitting returns the kinds of cells that columns of a role hold.
func fitting(role Role) []Kind {
	switch role {
	case ProfileURL:
		return []Kind{PersonPage, SalesPage, SharedPage, WebPage}
	case FirstName, LastName, FullName:
		return []Kind{Text}
	case CompanyName:
		return []Kind{Text, Website}
	case CompanyDomain:
		return []Kind{Website, WebPage, EmailAddress}
	case Email, HeldEmail:
		return []Kind{EmailAddress}
	case Phone, HeldPhone:
		return []Kind{PhoneNumber, Digits}
	case CompanyWebsite:
		return []Kind{Website, WebPage}
	case CompanyProfileURL:
		return []Kind{CompanyPage, WebPage}
	case CompanyCountry, CompanyState:
		return []Kind{Text}
	case CompanyID, RegistrationNumber, VATNumber:
		return []Kind{Text, Digits, Number, PhoneNumber, Date} // numbers can look like others
	}
	return nil
}

// disagrees reports whether most cells are of kinds that the role does not have. In a column of companies' domains,
// pages of shared hosts do not count when there are other cells: such a cell is not used in any column.
func (c *Content) disagrees(role Role) bool {
	filled, fits := c.filled(), c.of(fitting(role)...)
	if (role == CompanyDomain || role == CompanyWebsite) && c.of(Website, WebPage) > 0 {
		filled -= c.of(SharedPage)
	}
	return 2*fits < filled
}

// agrees reports whether there are cells, most of them of kinds that the role has.
func (c *Content) agrees(role Role) bool { return c.filled() > 0 && !c.disagrees(role) }

// Describe says what most cells of a column hold, "" when the sample has none that is not blank.
func (s Sample) Describe(column int) string {
	content := s.of(column)
	if content.filled() == 0 {
		return ""
	}
	return content.most().describe()
}
