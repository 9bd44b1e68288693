package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"payonce/sandbox"
	"payonce/sandbox/world"
)

// demoCompanies are the rows of the list of companies that ships with the program, with the names of its
// columns: companies of the embedded service that are named in every way, duplicates in other spellings, and
// companies that nobody knows.
func demoCompanies() [][]string {
	config := sandbox.DefaultConfig()
	w := world.World{People: world.People{Seed: config.Seed, MatchRates: config.MatchRates, UnknownRate: config.UnknownRate}}
	rows := [][]string{{"Name", "Website", "Country", "State", "Registration number", "VAT number", "Owner"}}
	owners := []string{"Ines", "Tomás", "Wei"}
	add := func(name, website, country, state, registration, vat string) {
		rows = append(rows, []string{name, website, country, state, registration, vat, owners[len(rows)%len(owners)]})
	}
	number := 0
	for c := range w.Listed() {
		if number++; number%7 != 0 { // not only companies of the first names
			continue
		}
		country := c.Country().Code
		state := ""
		if country == "US" {
			state = c.Place().RegionCode
		}
		switch i := len(rows); {
		case len(rows) > 300:
			return rows
		case i%25 == 24:
			add("Nobody "+fmt.Sprint(i), fmt.Sprintf("unknown%d.example", i), country, "", "", "")
		case i%25 == 12:
			add("Nobody "+fmt.Sprint(i), "", "GB", "", fmt.Sprintf("%08d", 99000000+i), "")
		case i%10 == 5: // a row before, in another spelling
			earlier := rows[i-4]
			website := strings.ToUpper(strings.TrimPrefix(earlier[1], "https://"))
			add(earlier[0]+" ", website, strings.ToLower(earlier[2]), earlier[3], strings.ToLower(earlier[4]), earlier[5])
		case i%10 == 9:
			add(c.Name(), "", country, "", "", "")
		case i%10 == 7 && c.VAT() != "" && country != "US":
			add(c.Name(), "", country, "", "", c.VAT())
		case i%2 == 0:
			add(c.Name(), "", country, state, c.Registration(), "")
		default:
			add(c.Name(), c.Website(), country, "", "", "")
		}
	}
	return rows
}

func TestDemoCompanyListIsReproducible(t *testing.T) {
	var list bytes.Buffer
	if err := csv.NewWriter(&list).WriteAll(demoCompanies()); err != nil {
		t.Fatal(err)
	}
	golden(t, "companies.csv", list.Bytes())
}
