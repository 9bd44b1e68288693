package configs

import "testing"

func TestYearsFlagReadsSpansAndSingleYears(t *testing.T) {
	for text, want := range map[string]string{
		"2024": "2024", "2022-2024": "2022-2024", "2024, 2022": "2022,2024", "2020,2022-2024,2023": "2020,2022-2024", "2022-2023": "2022-2023",
		"2022-2022": "2022", "": "", "24": "", "2024-2022": "", "2022-": "", "1899": "", "1900-2100": "", "2022..2024": "", "2022,": "", "-1": "",
	} {
		var years YearsFlag
		if err := years.Set(text); (err == nil) != (want != "") || err == nil && years.String() != want {
			t.Errorf("%q is %q, error %v; want %q", text, years.String(), err, want)
		}
		if want == "" {
			continue
		}
		var again YearsFlag
		if err := again.Set(years.String()); err != nil || again.String() != want {
			t.Errorf("%q is %q when it is read again, error %v", want, again.String(), err)
		}
	}
}

func TestFiguresFlagIgnoresCase(t *testing.T) {
	f := FiguresFlag{Known: []string{"Turnover", "Employee-Numbers", "EBITDA"}, Suggest: func(string, []string) string { return "" }}
	for text, want := range map[string]string{
		"turnover": "Turnover", "EMPLOYEE numbers,ebitda": "Employee-Numbers,EBITDA", "EBITDA, ebitda": "EBITDA", "": "", "profit": "", "EBITDA,": "",
	} {
		if err := f.Set(text); (err == nil) != (want != "") || err == nil && f.String() != want {
			t.Errorf("%q is %q, error %v; want %q", text, f.String(), err, want)
		}
	}
}
