package main

import (
	"encoding/csv"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
)

// listRow is a row of a list with the names of its columns.
type listRow map[string]string

func readRows(t *testing.T, path string) []listRow {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var rows []listRow
	for _, record := range records[1:] {
		row := listRow{}
		for i, name := range records[0] {
			row[name] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// identity returns the canonical form of a row's person, "" for none.
func (r listRow) identity() string {
	id, reason := r.contact().Identify(enrich.ByProfile)
	if reason != "" {
		return ""
	}
	return id.Canonical()
}

// contact returns what the cells say of a row's person.
func (r listRow) contact() enrich.Contact {
	return enrich.Contact{
		ProfileURL: r["linkedin_url"], FirstName: r["first_name"], LastName: r["last_name"],
		CompanyDomain: r["website"], CompanyName: r["company"],
	}
}

// unknown reports whether the row's answer was lost on its way.
func (r listRow) unknown() bool {
	return r["enrich_status"] == "in_doubt" || r["enrich_status"] == "forfeited"
}

// checkOutput checks the output of a program against its list and the ledger of
// the service, which know nothing of each other.
func checkOutput(t *testing.T, p *program, ledger sandbox.Snapshot) {
	t.Helper()
	if err := chargedOnce(ledger.Charges); err != nil {
		t.Error(err)
	}
	rows := readRows(t, p.output())
	checkCells(t, readRows(t, p.list()), rows)
	checkMoney(t, rows, ledger)
}

// checkCells checks that every row is there once, in order, with its own cells.
func checkCells(t *testing.T, list, output []listRow) {
	t.Helper()
	if len(list) != len(output) {
		t.Fatalf("%d rows of %d are in the output", len(output), len(list))
	}
	for i, before := range list {
		kept := listRow{}
		for name, cell := range before {
			kept[name] = output[i][name]
			if (name == "email" || name == "phone") && cell == "" {
				kept[name] = "" // it may have been filled
			}
		}
		if diff := cmp.Diff(before, kept); diff != "" {
			t.Errorf("row %d (-list +output):\n%s", i+1, diff)
		}
	}
}

// checkMoney checks that each charge of the service stands in the output, or
// belongs to a person whose answer was lost. A lost lookup may have taken a unit
// of the free allowance: until that is known, another row is shown as paid that
// was free, never the other way round.
func checkMoney(t *testing.T, rows []listRow, ledger sandbox.Snapshot) {
	t.Helper()
	lost := lostPersons(rows)
	charged := map[string]cost.Money{} // by request ID
	var answered cost.Money
	for _, charge := range ledger.Charges {
		if !slices.Contains(lost, charge.Identity) {
			charged[charge.RequestID] += charge.Amount
			answered += charge.Amount
		}
	}
	var shown cost.Money
	for i, row := range rows {
		if row["enrich_charge_usd"] == "" || slices.Contains(lost, row.identity()) {
			continue
		}
		amount, err := cost.ParseMoney(row["enrich_charge_usd"])
		if err != nil {
			t.Fatal(err)
		}
		shown += amount
		id := row["enrich_request_id"]
		if amount < charged[id] || amount > charged[id] && len(lost) == 0 {
			t.Errorf("row %d shows a charge of %s for %q, the service charged %s", i+1, amount, id, charged[id])
		}
	}
	if doubtful := cost.Money(len(lost)) * mostOfLookup; shown < answered || shown > answered+doubtful {
		t.Errorf("the output shows charges of %s, the service charged %s; %d answers were lost", shown, answered, len(lost))
	}
}

// mostOfLookup is what both fields of a lookup cost.
const mostOfLookup = 40 * cost.Cent

// lostPersons returns the identities whose answers were lost. A duplicate does not
// say so of a field that its first occurrence has already: where anything was lost at
// all, the persons of duplicates with an empty cell count too.
func lostPersons(rows []listRow) []string {
	if !slices.ContainsFunc(rows, listRow.unknown) {
		return nil
	}
	var lost []string
	for _, row := range rows {
		if row.unknown() || row["enrich_status"] == "duplicate" && (row["email"] == "" || row["phone"] == "") {
			lost = append(lost, row.identity())
		}
	}
	return lost
}
