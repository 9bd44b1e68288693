package main

import "github.com/spf13/cobra"

// examples are the examples in the help of each command, by its path.
var examples = map[string]string{
	"batch plan":                "batch plan contacts.csv --max-spend 40",
	"batch run":                 "batch run contacts.csv --max-spend 40 -o contacts.enriched.csv",
	"batch status":              "batch status --watch",
	"batch map":                 "batch map contacts.csv --map company_domain=#6 --save contacts.csv.map.yaml",
	"batch write":               "batch write contacts-email-1a2b3c -o again.csv",
	"batch jobs check":          "batch jobs check",
	"batch jobs list":           "batch jobs list",
	"batch jobs run":            "batch jobs run nightly",
	"batch jobs install":        "batch jobs install --systemd",
	"batch jobs serve":          "batch jobs serve",
	"batch serve":               "batch serve --lists ~/lists",
	"batch man":                 "batch man /usr/local/share/man/man1",
	"batch jobs next":           "batch jobs next",
	"batch jobs history":        "batch jobs history nightly",
	"batch jobs pause":          "batch jobs pause nightly --note \"the export is being rebuilt\"",
	"batch jobs resume":         "batch jobs resume nightly",
	"batch jobs test-alert":     "batch jobs test-alert ops",
	"batch jobs schema":         "batch jobs schema > jobs.schema.json",
	"batch search companies":    "batch search companies --where number_of_employees=10..50 --max 500 \\\n    --max-units companies=30 -o companies.csv",
	"batch search employees":    "batch search employees companies.csv --seniority 3 --per-company 5 \\\n    --max-units contacts=500 -o employees.csv",
	"batch search people":       "batch search people --domain acme.example --seniority vp \\\n    --max-units contacts=20 -o people.csv",
	"batch search overview":     "batch search overview --where name=Acme --where country_code=GB \\\n    --max-units companies=5 -o found.csv",
	"batch search autocomplete": "batch search autocomplete companies.csv \\\n    --max-units companies=100 -o completed.csv",
	"batch search figures":      "batch search figures companies.csv --year 2023,2024 \\\n    --max-units financials=200 -o figures.csv",
	"batch watch receive":       "batch watch receive --listen 0.0.0.0:443 --tls-cert cert.pem \\\n    --tls-key key.pem",
	"batch watch callback":      "batch watch callback",
	"batch watch callback show": "batch watch callback show",
	"batch watch callback set":  "batch watch callback set https://hooks.example.com --secret-path",
	"batch watch callback path": "batch watch callback path",
	"batch crm review":          "batch crm review contacts-email-1a2b3c -o review.xlsx",
	"batch crm pull":            "batch crm pull --query 'Email is null' -o contacts.csv",
	"batch crm push":            "batch crm push contacts-email-1a2b3c --review review.xlsx",
	"batch crm undo":            "batch crm undo contacts-email-1a2b3c",
	"batch crm export":          "batch crm export contacts-email-1a2b3c --review review.xlsx -o import.csv",
	"batch watch add":           "batch watch add companies.csv --fields company_phone,company_email \\\n    --max-units watch=200",
	"batch watch remove":        "batch watch remove companies.csv",
	"batch watch list":          "batch watch list -o watched.csv",
	"batch watch fields":        "batch watch fields companies.csv --add company_website",
	"batch watch events":        "batch watch events --company 1042 --from 2026-11-01",
	"batch watch poll":          "batch watch poll",
	"batch watch refresh":       "batch watch refresh companies.csv --max-units companies=200 \\\n    -o changes.csv",
	"batch undo":                "batch undo contacts.enriched.csv",
	"batch budget":              "batch budget --job nightly",
	"batch account":             "batch account --json",
	"batch doctor":              "batch doctor",
	"batch runs":                "batch runs",
	"batch report":              "batch report --job nightly --month 2026-11 -o report.html",
	"batch show":                "batch show contacts-email-1a2b3c",
	"batch ledger":              "batch ledger --from 2026-11 --to 2026-11 -o november.csv",
	"batch reconcile":           "batch reconcile\n  batch reconcile --assume not-charged 17 18",
	"batch forget":              "batch forget --email ann@acme.example",
	"batch journal check":       "batch journal check",
	"batch journal dump":        "batch journal dump > records.jsonl",
	"batch journal prune":       "batch journal prune --keep-answers 180d",
	"batch journal rekey":       "BATCH_JOURNAL_NEW_KEY=$(openssl rand -hex 32) batch journal rekey",
	"batch journal unpause":     "batch journal unpause",
	"batch journal copy":        "batch journal copy --journal postgres://batch@db.example/payonce",
	"batch journal migrate":     "batch journal migrate --journal postgres://batch@db.example/payonce",
	"batch ratecard show":       "batch ratecard show",
	"batch ratecard check":      "batch ratecard check prices.yaml",
	"batch ratecard import":     "batch ratecard import -o prices.yaml",
	"batch config check":        "batch config check nightly.yaml",
	"batch config schema":       "batch config schema > batch.schema.json",
	"batch config example":      "batch config example nightly > nightly.yaml",
	"batch conformance":         "batch conformance --list contacts.csv --limit 3 --max-spend 1",
	"batch sandbox":             "batch sandbox --admin 127.0.0.1:8322 --fault lost-after:p=0.02",
	"batch lists":               "batch lists -o made-up.csv --rows 1000",
	"batch version":             "batch version",
}

// addExamples gives a command, and those below it, their examples.
func addExamples(cmd *cobra.Command) {
	if example := examples[cmd.CommandPath()]; example != "" {
		cmd.Example = "  " + example
	}
	for _, below := range cmd.Commands() {
		addExamples(below)
	}
}
