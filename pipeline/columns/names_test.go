package columns

import "testing"

func TestSplitSeparatesFirstAndLastName(t *testing.T) {
	for full, want := range map[string]PersonName{
		"Ann Lee":                      {"Ann", "Lee", false},
		" Ann   Lee ":                  {"Ann", "Lee", false},
		"Lee, Ann":                     {"Ann", "Lee", false},
		"Lee, Ann Marie":               {"Ann", "Lee", false},
		"van Dyck, Jan":                {"Jan", "van Dyck", false},
		"García López, María":          {"María", "García López", true},
		"Ann Lee, PhD":                 {"Ann", "Lee", false},
		"Ann Lee, MBA, CFA":            {"Ann", "Lee", false},
		"Lee, Ann, PhD":                {"Ann", "Lee", false},
		"Dr. Ann Lee":                  {"Ann", "Lee", false},
		"Prof. Dr. Ann Lee":            {"Ann", "Lee", false},
		"Herr Max Müller":              {"Max", "Müller", false},
		"Max Müller Jr.":               {"Max", "Müller", false},
		"John Smith III":               {"John", "Smith", false},
		"Ludwig van Beethoven":         {"Ludwig", "van Beethoven", false},
		"Ursula von der Leyen":         {"Ursula", "von der Leyen", false},
		"Leonardo da Vinci":            {"Leonardo", "da Vinci", false},
		"Jan Peter van der Berg":       {"Jan", "van der Berg", false},
		"Vincent 't Hart":              {"Vincent", "'t Hart", false},
		"John Q. Public":               {"John", "Public", false},
		"John Q Public":                {"John", "Public", false},
		"Mary Ann Smith":               {"Mary", "Smith", true},
		"José García López":            {"José", "López", true},
		"Jean-Pierre Dupont":           {"Jean-Pierre", "Dupont", false},
		"DUPONT Jean":                  {"Jean", "DUPONT", false},
		"Jean DUPONT":                  {"Jean", "DUPONT", false},
		"DE LA TOUR Anne":              {"Anne", "DE LA TOUR", false},
		"ANN LEE":                      {"ANN", "LEE", false},
		"Robert (Bob) Ray":             {"Robert", "Ray", false},
		`Robert "Bob" Ray`:             {"Robert", "Ray", false},
		"Robert (Bob Ray":              {"Robert", "Ray", true},
		"Ann Lee 🚀":                    {"Ann", "Lee", false},
		"🚀 Ann Lee | Sales":            {"Ann", "Sales", true},
		"Cher":                         {"Cher", "", false},
		"Acme Ltd":                     {},
		"Acme Holding GmbH & Co. KG":   {},
		"Ann Lee, Acme Ltd.":           {},
		"Acme S.p.A.":                  {},
		"Beta AG":                      {},
		"Gamma S.A.":                   {},
		"Maria Sá":                     {"Maria", "Sá", false},
		"ANA SA":                       {"ANA", "SA", false},
		"Sa, Ana":                      {"Ana", "Sa", false},
		"Limited":                      {"Limited", "", false},
		"":                             {},
		" , ":                          {},
		"Dr.":                          {"Dr.", "", false},
		"Nguyễn Văn An":                {"Nguyễn", "An", true},
		"山田 太郎":                        {"山田", "太郎", false},
		"Sr. Juan de la Cruz":          {"Juan", "de la Cruz", false},
		"O'Brien, Pat":                 {"Pat", "O'Brien", false},
		"Dipl.-Ing. Hans Meier":        {"Hans", "Meier", false},
		"Ann-Sophie Freifrau von Berg": {"Ann-Sophie", "von Berg", false},
	} {
		if got := SplitName(full); got != want {
			t.Errorf("%q is %+v, want %+v", full, got, want)
		}
	}
}

// FuzzSplit splits any text: a name without a comma or a bracket loses no words but titles and middle names.
func FuzzSplit(f *testing.F) {
	for _, full := range []string{"Ann Lee", "Lee, Ann", "\xff\xfe", "(((", "van", "a b c d e", ",,,"} {
		f.Add(full)
	}
	f.Fuzz(func(t *testing.T, full string) {
		name := SplitName(full)
		if name.First == "" && name.Last != "" {
			t.Fatalf("%q has the last name %q and no first name", full, name.Last)
		}
		if again := SplitName(full); again != name {
			t.Fatalf("%q is %+v, and again %+v", full, name, again)
		}
	})
}
