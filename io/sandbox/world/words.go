package world

import "slices"

// nameStarts and nameEnds are the words of the names of listed companies.
var (
	nameStarts = [...]string{
		"Alder", "Birch", "Copper", "Delta", "Ember", "Falcon", "Granite", "Harbor", "Ivory", "Juniper", "Kestrel",
		"Lantern", "Maple", "Northwind", "Orchard", "Pioneer", "Quarry", "Redwood", "Summit", "Tidewater", "Upland",
		"Vertex", "Willow", "Zephyr",
	}
	nameEnds = [...]string{"Logistics", "Software", "Foods", "Partners"}

	firstNames = [...]string{
		"Ada", "Bruno", "Chiara", "Dario", "Elif", "Femke", "Gustav", "Hanna", "Ines", "Jonas", "Katja", "Liam",
		"Mira", "Nils", "Olga", "Pablo", "Quentin", "Rosa", "Sven", "Tilda", "Ugo", "Vera", "Wim", "Yara",
	}
	lastNames = [...]string{
		"Abel", "Brandt", "Costa", "Dubois", "Engel", "Farrell", "Groot", "Hansen", "Ibsen", "Jansen", "Kowal",
		"Lund", "Moretti", "Nyberg", "Okafor", "Petit", "Quinn", "Rossi", "Sato", "Thorn", "Urban", "Voss",
		"Weiss", "Zanetti",
	}
	streets = [...]string{"Mill Lane", "Station Road", "Market Square", "Quay Street", "Garden Row", "Hill Street"}
)

// legalWords are the words of legal forms, in small letters and without points, which names can end in.
var legalWords = []string{
	"ab", "as", "aps", "bv", "co", "company", "corp", "corporation", "gmbh", "inc", "incorporated", "limited", "llc",
	"ltd", "nv", "plc", "pte", "pty", "sa", "sarl", "sas", "spa", "srl", "ag", "oy", "de", "cv",
}

func isLegalWord(word string) bool { return slices.Contains(legalWords, word) }

// Country is where a company is registered.
type Country struct {
	Code, Name, Currency string
	Dial                 string   // the prefix of its phone numbers
	Register             string   // what registration numbers begin with
	Width                int      // the least digits of a registration number
	Forms                []string // legal forms
	Places               []Place
	Codes                string // the name of its industry codes; empty: none
	share                int    // of all companies, in percent; 0: one of those that have smallShare together
}

// smallShare is how many percent of all companies are of the countries without a share.
const smallShare = 2

// Place is a city and the region or state that it lies in.
type Place struct{ City, Region, RegionCode, Zip string }

var countries = [...]Country{
	{"GB", "United Kingdom", "GBP", "+44", "", 8, []string{"Ltd", "PLC"}, []Place{
		{"London", "Greater London", "LND", "EC1A 1AA"},
		{"Leeds", "Yorkshire", "YKS", "LS1 1AA"},
		{"Cardiff", "Wales", "WLS", "CF10 1AA"},
	}, "sic_code_gb", 20},
	{"US", "United States", "USD", "+1", "", 7, []string{"Inc", "LLC", "Corp"}, []Place{
		{"Denver", "Colorado", "CO", "80014"},
		{"Austin", "Texas", "TX", "73301"},
		{"Albany", "New York", "NY", "12201"},
		{"Fresno", "California", "CA", "93650"},
		{"Dover", "Delaware", "DE", "19901"},
		{"Salem", "Oregon", "OR", "97301"},
	}, "sic_code_us", 20},
	{"DE", "Germany", "EUR", "+49", "HRB", 6, []string{"GmbH", "AG"}, []Place{
		{"Bremen", "Bremen", "HB", "28195"}, {"Kassel", "Hesse", "HE", "34117"}, {"Ulm", "Baden-Wurttemberg", "BW", "89073"},
	}, "sic_code_de", 15},
	{"FR", "France", "EUR", "+33", "", 9, []string{"SARL", "SAS", "SA"}, []Place{
		{"Lille", "Hauts-de-France", "HDF", "59000"}, {"Lyon", "Auvergne-Rhone-Alpes", "ARA", "69001"},
	}, "sic_code_fr", 10},
	{"NL", "Netherlands", "EUR", "+31", "", 8, []string{"BV", "NV"}, []Place{
		{"Utrecht", "Utrecht", "UT", "3511 AA"}, {"Breda", "North Brabant", "NB", "4811 AA"},
	}, "sic_code_nl", 7},
	{"IT", "Italy", "EUR", "+39", "MI", 7, []string{"SRL", "SPA"}, []Place{
		{"Turin", "Piedmont", "PMN", "10121"}, {"Bari", "Apulia", "PUG", "70121"},
	}, "sic_code_it", 6},
	{"SE", "Sweden", "SEK", "+46", "55", 8, []string{"AB"}, []Place{{"Uppsala", "Uppsala", "UP", "753 09"}}, "sic_code_se", 4},
	{"IE", "Ireland", "EUR", "+353", "", 6, []string{"Ltd", "PLC"}, []Place{{"Cork", "Munster", "M", "T12 A1A1"}}, "sic_code_ie", 4},
	{"NO", "Norway", "NOK", "+47", "9", 8, []string{"AS"}, []Place{{"Bergen", "Vestland", "46", "5003"}}, "sic_code_no", 3},
	{"DK", "Denmark", "DKK", "+45", "", 8, []string{"APS", "AS"}, []Place{{"Aarhus", "Midtjylland", "82", "8000"}}, "sic_code_dk", 3},
	{"SG", "Singapore", "SGD", "+65", "S", 8, []string{"PTE LTD"}, []Place{{"Singapore", "Singapore", "01", "018956"}}, "sic_code_sg", 3},
	{"CA", "Canada", "CAD", "+1", "C", 7, []string{"Inc", "Ltd"}, []Place{{"Halifax", "Nova Scotia", "NS", "B3H 0A1"}}, "sic_code_ca", 3},
	{"BE", "Belgium", "EUR", "+32", "0", 9, []string{"BV", "NV"}, []Place{{"Ghent", "East Flanders", "VOV", "9000"}}, "sic_code_be", 0},
	{"LU", "Luxembourg", "EUR", "+352", "B", 6, []string{"SARL", "SA"}, []Place{{"Differdange", "Esch-sur-Alzette", "ES", "4501"}}, "sic_code_lu", 0},
	{"MX", "Mexico", "MXN", "+52", "M", 8, []string{"SA de CV"}, []Place{{"Puebla", "Puebla", "PUE", "72000"}}, "sic_code_mx", 0},
	{"AU", "Australia", "AUD", "+61", "", 9, []string{"Pty Ltd"}, []Place{{"Hobart", "Tasmania", "TAS", "7000"}}, "sic_code_anz", 0},
	{"NZ", "New Zealand", "NZD", "+64", "", 7, []string{"Ltd"}, []Place{{"Napier", "Hawke's Bay", "HKB", "4110"}}, "sic_code_anz", 0},
}
