package tidy

import (
	"maps"
	"slices"
	"strings"
)

// everything stands for all packages of the module.
const everything = "..."

// layers lists for every package of the module which others of the module it may
// import. Imports point downwards: a package lies below each package whose line names it.
func layers() map[string][]string {
	all := map[string][]string{
		"enrich":            {"enrich/place", "enrich/sharedhost"},
		"enrich/place":      {},
		"enrich/sharedhost": {},
		"cost":              {"enrich"},
		"attempt":           {"enrich", "cost"},
		"numbered":          {},
		"forecast":          {"enrich", "cost"},
		"io/table":          {},
		"io/csvtable":       {"io/table", "io/headrow"},
		"io/textfile":       {},
		"io/atomicfile":     {},
		"io/backup":         {"io/atomicfile"},
		"io/listfile":       {"io/..."},
		"checkpoint":        {"enrich", "cost", "attempt", "checkpoint/store", "checkpoint/record", "checkpoint/decide", "checkpoint/account", "checkpoint/expired", "checkpoint/outcomes", "checkpoint/persons", "checkpoint/registry", "checkpoint/sums", "numbered"},
		"configs":           {"enrich", "service/v1/v1fields", "cost"},
		// The stages of a run, which know nothing of each other. Tests of them together lie above.
		"pipeline":           {"enrich", "cost", "attempt", "io/table", "pipeline/..."},
		"pipeline/columns":   {"enrich", "enrich/sharedhost", "io/table", "pipeline/names"},
		"pipeline/row":       {"enrich", "cost", "attempt", "io/table", "pipeline/columns", "pipeline/names"},
		"pipeline/dedup":     {"enrich"},
		"pipeline/survey":    {"enrich", "cost", "attempt", "io/table", "pipeline/columns", "pipeline/row", "pipeline/dedup"},
		"pipeline/dispatch":  {"enrich", "cost", "attempt"},
		"pipeline/output":    {"enrich", "cost", "attempt", "io/table", "pipeline/columns", "pipeline/row"},
		"internal/lists":     {},
		"internal/smallfile": {},
		"internal/flagvalue": {"enrich", "service/v1/v1fields", "service/v2/v2fields", "cost"},
		"internal/config":    {"enrich", "cost", "internal/flagvalue", "internal/smallfile"},
		// What the journal lies on.
		"checkpoint/store":       {},
		"checkpoint/record":      {"enrich", "cost", "attempt", "checkpoint/store", "numbered"},
		"checkpoint/decide":      {"enrich", "cost", "attempt"},
		"checkpoint/ledgertest":  {"enrich", "cost", "attempt", "checkpoint/store", "checkpoint/record", "checkpoint/decide"},
		"checkpoint/sums":        {"enrich", "cost", "attempt", "checkpoint/store", "checkpoint/record", "checkpoint/decide"},
		"checkpoint/outcomes":    {"enrich", "cost", "attempt", "checkpoint/store", "checkpoint/record", "numbered"},
		"checkpoint/account":     {"enrich", "cost", "attempt", "checkpoint/store", "checkpoint/record", "checkpoint/decide", "checkpoint/sums", "checkpoint/outcomes", "numbered"},
		"checkpoint/persons":     {"enrich", "cost", "attempt", "checkpoint/store", "checkpoint/record", "checkpoint/outcomes", "numbered"},
		"checkpoint/expired":     {"enrich", "cost", "attempt", "checkpoint/store", "checkpoint/record", "checkpoint/outcomes"},
		"checkpoint/registry":    {"enrich", "attempt", "checkpoint/store", "checkpoint/record", "internal/baseurl"},
		"checkpoint/verify":      {"enrich", "cost", "attempt", "checkpoint/store", "checkpoint/record", "checkpoint/outcomes", "numbered"},
		"checkpoint/badgerstore": {"checkpoint/store"},
		// What use cases return, as text, JSON and Markdown.
		"internal/tidy": {},
		// Lists in the formats of other programs.
		"io/parquettable":          {"io/table", "io/parquettable/..."},
		"io/parquettable/output":   {"io/table", "io/parquettable/encode", "io/parquettable/footer", "io/parquettable/compact"},
		"io/parquettable/rowcopy":  {"io/parquettable/page", "io/parquettable/footer", "io/parquettable/damage"},
		"io/parquettable/encode":   {"io/table", "io/parquettable/page", "io/parquettable/footer", "io/parquettable/vector"},
		"io/parquettable/celltext": {"io/parquettable/page", "io/parquettable/vector", "io/parquettable/damage"},
		"io/parquettable/page":     {"io/parquettable/footer", "io/parquettable/damage", "io/parquettable/compact"},
		"io/parquettable/footer":   {"io/table", "io/parquettable/damage", "io/parquettable/compact"},
		"io/parquettable/damage":   {"io/table"},
		"io/parquettable/vector":   {},
		"io/parquettable/compact":  {},
		"io/sheet":                 {"io/table", "io/headrow", "io/sheet/..."},
		"io/sheet/texts":           {"io/sheet/markup"},
		"io/sheet/markup":          {},
		"io/jsonlist":              {"io/table"},
		"cmd/batch":                {everything},
	}
	for _, part := range []map[string][]string{
		sandboxLayers(), useCaseLayers(), commandLayers(), runLayers(), jobLayers(),
		serviceLayers(), testPackageLayers(), runReportLayers(), searchLayers(), reportLayers(), conformanceLayers(),
	} {
		maps.Copy(all, part)
	}
	return all
}

// conformanceLayers lists the rules of the specifications.
func conformanceLayers() map[string][]string {
	return map[string][]string{
		"conformance/rules":     {"enrich"},
		"conformance/rulestest": {},
		"conformance/v2rules":   {"conformance/rules", "conformance/rulestest", "enrich", "cost", "service/jsonobject", "service/v2", "service/v2/..."},
		"conformance":           {"conformance/...", "enrich", "cost", "service/v1", "service/v1/v1fields", "sandbox/books"},
	}
}

// searchLayers lists the packages of searches, from the bottom up.
func searchLayers() map[string][]string {
	return map[string][]string{
		"internal/search/query": {"service/v2/calls", "service/v2/v2fields"},
		"internal/search/walk":  {"cost", "internal/search/query", "service/v2/calls", "service/v2/v2fields"},
		"internal/search/found": {"enrich", "enrich/tabular", "cost", "internal/search/walk", "service/v2/answers", "service/v2/records", "service/v2/units", "service/v2/v2fields"},
		"internal/search": {
			"internal/waits",
			"enrich", "cost", "attempt", "checkpoint", "internal/app", "internal/outputs", "internal/problem", "internal/report", "internal/observe", "internal/report/form",
			"internal/search/...", "internal/target", "internal/userlist", "internal/workspace", "io/listfile", "io/table", "pipeline/columns", "pipeline/dispatch", "service/v2", "service/v2/...",
		},
		"cmd/batch/searching": {
			"enrich", "cmd/batch/hints", "cmd/batch/listflags", "cmd/batch/usage", "internal/app", "internal/flagvalue", "internal/problem", "internal/report", "internal/report/form",
			"internal/search", "internal/search/query", "internal/smallfile", "internal/target", "internal/userlist", "io/listfile", "io/table",
			"pipeline/columns", "pipeline/dispatch",
		},
	}
}

// sandboxLayers lists the packages of the embedded services.
func sandboxLayers() map[string][]string {
	return map[string][]string{
		"enrich/tabular":  {"enrich"},
		"pipeline/tables": {"enrich", "enrich/tabular", "attempt", "io/table"},
		"pipeline/steps":  {"cost", "enrich", "io/table", "pipeline/row", "pipeline/survey", "pipeline/dispatch", "pipeline/output"},
		"sandbox/schema":  {"enrich", "cost", "service/v1/v1fields"},
		"sandbox/books":   {"enrich", "cost", "service/v1/v1fields", "sandbox/fault", "sandbox/ledgerfile", "sandbox/window"},
		// What both interfaces of the sandbox share.
		"sandbox/dice":       {},
		"sandbox/window":     {},
		"sandbox/ledgerfile": {},
		"sandbox/fault":      {"cost", "sandbox/dice"},
		"sandbox/reply":      {"sandbox/fault"},
		"sandbox/admincall":  {"sandbox/reply"},
		"sandbox/world":      {"enrich", "service/v1/v1fields", "sandbox/dice"},
		"sandbox/units":      {"sandbox/fault", "sandbox/ledgerfile", "sandbox/window"},
		"sandbox/criteria":   {"sandbox/world"},
		"sandbox/watch":      {"sandbox/ledgerfile"},
		"sandbox/webhook":    {},
		"sandbox/v2":         {"enrich", "sandbox/..."},
		"sandbox":            {"enrich", "cost", "service/v1/v1fields", "sandbox/..."},
	}
}

// useCaseLayers lists the packages of the use cases, from the bottom up.
func useCaseLayers() map[string][]string {
	return map[string][]string{
		// The names of the fields and operations of an interface.
		"service/v1/v1fields": {"enrich"},
		// The row with the names of the columns.
		"io/headrow": {},
		// What lets other processes read a journal.
		"checkpoint/remote": {"checkpoint/store"},
		// Full names.
		"pipeline/names": {},
		// The measuring of the whole program, which runs in a separate process.
		"bench": {"enrich", "cost", "attempt", "checkpoint", "checkpoint/...", "service/v1", "service/v1/v1fields", "io/...", "internal/lists"},
		// The errors of use cases, and what they work with.
		"internal/baseurl":         {},
		"internal/problem":         {"service/v1"},
		"internal/pricing":         {"enrich", "cost", "configs", "service/v1", "service/v1/v1fields", "pipeline/dispatch", "internal/problem", "internal/smallfile"},
		"internal/target":          {"internal/problem", "io/atomicfile", "io/listfile", "io/textfile"},
		"cmd/batch/mapping/screen": {"internal/report/form", "internal/mapping", "internal/report", "pipeline/columns"},
		// Companies among which somebody has to choose.
		"internal/candidates": {"attempt", "enrich", "internal/outputs", "io/csvtable", "io/listfile", "io/table", "pipeline/columns", "pipeline/row", "service/v2/answers", "service/v2/match", "service/v2/units", "service/v2/v2fields"},
		"internal/mapfile":    {"internal/problem", "internal/smallfile", "io/atomicfile", "io/table", "pipeline/columns"},
		"internal/mapping": {
			"internal/interfaces",
			"enrich", "internal/mapfile", "internal/problem", "internal/report", "internal/userlist", "io/table", "pipeline/columns", "pipeline/output", "pipeline/row",
		},
		"cmd/batch/mapping":   {"internal/interfaces", "internal/report/form", "cmd/batch/listflags", "cmd/batch/mapping/screen", "internal/app", "enrich", "internal/flagvalue", "internal/mapfile", "internal/mapping", "internal/problem", "internal/report", "internal/userlist", "pipeline/columns"},
		"internal/userlist":   {"internal/problem", "io/csvtable", "io/listfile", "io/table", "pipeline/columns"},
		"internal/interfaces": {"checkpoint/persons", "enrich", "cost", "pipeline/columns", "pipeline/output", "pipeline/row", "pipeline/tables", "service/jsonobject", "service/v1", "service/v1/v1fields", "service/v2/..."},
		"internal/listcost":   {"enrich", "cost", "attempt", "pipeline/survey"},
		"internal/vendorfile": {"enrich", "attempt", "cost", "internal/report", "internal/report/named", "io/atomicfile", "io/table"},
		"internal/planfile":   {"internal/problem", "internal/report", "internal/report/named", "internal/report/planview", "internal/smallfile", "io/atomicfile"},
		"internal/workspace": {
			"enrich", "cost", "attempt", "checkpoint", "checkpoint/...", "service/v1", "service/v1/v1fields", "service/v2", "service/v2/calls", "service/v2/units", "service/v2/v2fields",
			"sandbox", "sandbox/v2", "internal/baseurl", "internal/problem", "internal/pricing",
		},
		// The files that a run writes.
		"internal/outputs": {"enrich", "enrich/tabular", "cost", "attempt", "checkpoint", "checkpoint/record", "pipeline/...", "io/..."},
		// What a run may spend.
		"internal/choosing": {"internal/candidates", "internal/outputs", "internal/problem", "internal/report/choices", "internal/target", "io/listfile", "pipeline/row", "pipeline/steps"},
		"internal/budget":   {"attempt", "checkpoint", "cost", "enrich"},
		// The steps of a run: what they ask for, cost and use at most.
		"internal/runsteps": {
			"attempt", "checkpoint", "cost", "enrich", "forecast", "pipeline/dispatch", "pipeline/row", "pipeline/survey",
			"internal/accounts", "internal/budget", "internal/problem", "internal/report", "internal/report/planstep", "internal/report/planview", "internal/workspace",
		},
		// Use cases: options in, reports and typed errors out.
		"internal/app": {
			"internal/runsteps", "internal/waits",
			"enrich", "cost", "attempt", "checkpoint", "checkpoint/...", "pipeline/...", "io/...",
			"internal/accounts", "internal/budget", "internal/choosing", "internal/interfaces", "internal/listcost", "internal/mapfile", "internal/outputs", "internal/problem", "internal/pricing", "internal/planfile", "internal/recorded", "internal/report", "internal/observe", "internal/report/named", "internal/report/usageview", "internal/usage", "internal/report/choices", "internal/report/doubtview", "internal/report/planview", "internal/report/runview", "internal/report/planstep", "internal/target",
			"internal/userlist", "internal/vendorfile", "internal/workspace",
		},
		"internal/starts": {"cost"},
		"internal/inspect": {
			"internal/starts",
			"enrich", "cost", "attempt", "checkpoint", "checkpoint/...", "service/v1", "service/v1/v1fields", "service/v2", "service/v2/answers", "service/v2/units", "service/v2/v2fields",
			"io/atomicfile", "io/listfile", "pipeline/dispatch", "internal/interfaces", "internal/app", "internal/budget", "internal/problem", "internal/recorded", "internal/report", "internal/observe", "internal/accounts", "internal/report/named", "internal/report/usageview", "internal/usage", "internal/report/accountview", "internal/report/journalview", "internal/report/planview", "internal/report/runview", "internal/report/modules", "internal/target", "internal/workspace", "io/table",
		},
		"internal/doctor": {
			"enrich", "cost", "checkpoint", "checkpoint/...", "service/v1", "service/v1/v1fields", "service/v2", "service/v2/units", "service/v2/v2fields",
			"internal/budget", "internal/probe", "internal/delivery", "internal/flagvalue", "internal/interfaces", "internal/problem", "internal/pricing", "internal/report", "internal/report/checkview", "internal/report/planview", "internal/workspace",
		},
	}
}

// reportLayers lists the packages of reports: how they look, and what they show.
func reportLayers() map[string][]string {
	return map[string][]string{
		"internal/report/named":       {"enrich", "cost"},
		"internal/report/usageview":   {"checkpoint/record", "enrich", "cost", "internal/report", "internal/report/named"},
		"internal/observe":            {"checkpoint", "cost", "internal/report/named", "internal/report/usageview", "pipeline/dispatch"},
		"internal/usage":              {"attempt", "checkpoint", "cost", "internal/interfaces", "internal/report/named", "internal/report/runview", "internal/report/usageview"},
		"internal/report/form":        {},
		"internal/report/modules":     {"attempt"},
		"internal/report/planstep":    {"cost"},
		"internal/report/choices":     {},
		"internal/report":             {"enrich", "cost", "checkpoint", "internal/report/named", "internal/flagvalue", "internal/report/form"},
		"internal/report/accountview": {"cost", "internal/report", "enrich", "internal/report/named", "internal/report/modules", "service/v1/v1fields"},
		"internal/report/checkview":   {"conformance/rules", "cost", "internal/report"},
		"internal/report/doubtview":   {"attempt", "cost", "enrich", "internal/report", "internal/report/named"},
		"internal/report/journalview": {"attempt", "checkpoint", "checkpoint/persons", "checkpoint/verify", "cost", "enrich", "internal/report", "internal/report/named"},
		"internal/report/planview":    {"internal/report/modules", "cost", "internal/listcost", "internal/report", "enrich", "internal/report/named", "internal/report/choices", "internal/report/planstep", "io/table", "pipeline/columns", "pipeline/row", "pipeline/survey", "service/v1/v1fields"},
		"internal/report/runview":     {"internal/report/modules", "attempt", "checkpoint", "internal/waits", "cost", "enrich", "internal/outputs", "internal/report", "internal/report/named", "internal/report/usageview", "internal/report/choices", "internal/starts", "pipeline/dispatch", "pipeline/row", "service/v1/v1fields"},
	}
}

// commandLayers lists the parts of the command line.
func commandLayers() map[string][]string {
	return map[string][]string{
		"cmd/batch/hints":        {"checkpoint", "internal/budget", "internal/problem", "internal/userlist", "io/csvtable", "io/listfile", "io/sheet", "io/table", "pipeline/...", "service/...", "cost", "internal/app", "internal/report", "internal/report/doubtview", "internal/report/runview", "internal/workspace"},
		"cmd/batch/exit":         {"checkpoint", "checkpoint/badgerstore", "checkpoint/remote", "cmd/batch/hints", "internal/problem", "internal/report", "io/listfile", "io/table", "pipeline/dispatch", "pipeline/row"},
		"cmd/batch/help":         {"internal/report/form", "internal/report"},
		"cmd/batch/nearest":      {},
		"cmd/batch/manual":       {"internal/problem"},
		"cmd/batch/usage":        {"enrich", "cost", "cmd/batch/nearest", "internal/config", "internal/flagvalue", "internal/problem", "internal/report"},
		"cmd/batch/host":         {"enrich", "service/v1/v1fields", "cost", "checkpoint", "pipeline/dispatch", "internal/app", "internal/report", "internal/observe", "internal/report/named", "internal/report/usageview", "internal/report/runview"},
		"cmd/batch/prune":        {"internal/app", "internal/inspect", "internal/problem", "internal/report", "internal/report/journalview", "internal/target"},
		"cmd/batch/complete":     {"checkpoint/badgerstore", "internal/app", "internal/inspect", "internal/userlist", "internal/workspace", "io/listfile", "pipeline/columns", "service/v1/v1fields"},
		"cmd/batch/ratecard":     {"cmd/batch/hints", "cmd/batch/usage", "configs", "internal/interfaces", "internal/pricing", "internal/problem", "internal/report", "service/v1"},
		"cmd/batch/pages":        {"internal/problem", "internal/report", "internal/target", "io/atomicfile"},
		"cmd/batch/starting":     {"internal/app", "internal/flagvalue", "internal/report", "internal/starts"},
		"cmd/batch/undo":         {"internal/problem", "io/backup"},
		"cmd/batch/watch":        {"internal/problem", "internal/report", "internal/report/runview"},
		"cmd/batch/listflags":    {"enrich", "service/v1/v1fields", "attempt", "cmd/batch/host", "internal/app", "internal/flagvalue", "io/csvtable", "pipeline/columns"},
		"cmd/batch/serviceflags": {"checkpoint", "cmd/batch/hints", "internal/app", "internal/config", "internal/flagvalue", "internal/pricing", "internal/workspace", "service/v1", "service/v2", "service/v2/units"},
		"cmd/batch/rehearse":     {"enrich", "service/v1/v1fields", "cost", "sandbox", "sandbox/...", "io/...", "internal/..."},
	}
}

// runLayers lists what the use cases know of runs and of the accounts that they ask.
func runLayers() map[string][]string {
	return map[string][]string{
		"internal/accounts": {
			"enrich", "cost", "attempt", "checkpoint", "service/v1", "service/v1/v1fields", "service/v2", "service/v2/units", "pipeline/dispatch",
			"pipeline/output", "pipeline/steps", "pipeline/survey", "internal/interfaces", "internal/listcost",
			"internal/pricing", "internal/problem", "internal/report", "internal/report/modules", "internal/report/named", "internal/report/usageview", "internal/report/runview", "internal/workspace",
		},
		"internal/probe": {
			"enrich", "cost", "attempt", "checkpoint", "conformance/v2rules", "internal/accounts", "internal/budget", "internal/report", "internal/workspace", "pipeline/dispatch",
			"service/v2", "service/v2/...",
		},
		"internal/conform": {
			"internal/probe", "service/v2", "service/v2/units", "enrich", "cost", "attempt", "checkpoint", "conformance", "conformance/...", "service/v1", "service/v1/v1fields", "pipeline/dispatch",
			"internal/accounts", "internal/app", "internal/pricing", "internal/problem", "internal/report", "internal/report/checkview", "internal/workspace",
		},
		"internal/recorded": {
			"enrich", "checkpoint", "io/listfile", "io/textfile", "internal/problem", "internal/report", "internal/target", "internal/userlist",
		},
	}
}

// jobLayers lists the packages of jobs: when they are due, the file that says so, and their commands.
func jobLayers() map[string][]string {
	return map[string][]string{
		"schedule":           {},
		"internal/shell":     {},
		"internal/pglist":    {"io/atomicfile", "io/listfile", "io/table"},
		"notify":             {"internal/shell"},
		"notify/rules":       {"notify", "checkpoint/record", "cost"},
		"internal/jobs":      {"internal/pglist", "notify", "notify/rules", "internal/smallfile", "cost", "schedule", "internal/config", "internal/flagvalue", "internal/workspace"},
		"cmd/batch/jobs":     {"internal/baseurl", "internal/jobpages", "internal/metrics", "internal/metrics/reading", "notify", "notify/rules", "internal/delivery", "internal/flagvalue", "internal/jobserve", "cmd/batch/jobunits", "cost", "internal/app", "internal/waiting", "schedule", "checkpoint/record", "internal/jobs", "internal/jobrun", "internal/problem", "internal/report", "internal/report/runview"},
		"checkpoint/claims":  {"checkpoint/store", "checkpoint/record"},
		"checkpoint/outbox":  {"checkpoint/store", "checkpoint/record"},
		"cmd/batch/jobunits": {"schedule", "io/atomicfile"},
		"internal/jobserve":  {},
		"internal/delivery":  {"notify", "checkpoint/record", "checkpoint/outbox"},
		"internal/waits":     {"checkpoint", "checkpoint/record", "cost", "pipeline/dispatch"},
		"internal/waiting":   {"cost", "internal/app", "internal/budget", "pipeline/dispatch", "service/v1"},
		"internal/jobrun":    {"internal/pglist", "cost", "schedule", "checkpoint/store", "checkpoint/record", "checkpoint/claims", "checkpoint/outbox", "notify", "notify/rules", "internal/delivery", "internal/jobs", "internal/problem", "internal/shell", "internal/workspace", "io/atomicfile"},
	}
}

// serviceLayers lists the packages that speak to services.
func serviceLayers() map[string][]string {
	return map[string][]string{
		// At-most-once HTTP, MCP over it, and what reads JSON that a service sent.
		"service/paidhttp":    {"enrich"},
		"service/mcp":         {"service/paidhttp", "service/jsonobject"},
		"service/jsonobject":  {"cost"},
		"service/inputschema": {},
		"service/v1":          {"enrich", "cost", "service/v1/v1fields", "numbered", "service/paidhttp", "service/mcp", "service/jsonobject", "service/inputschema"},
		"service/v2/v2fields": {"enrich"},
		"service/v2/units":    {"enrich", "cost", "service/v2/v2fields"},
		"service/v2/records":  {"cost", "enrich/tabular", "service/jsonobject"},
		"service/v2/calls":    {"enrich", "cost", "service/v2/units", "service/v2/v2fields"},
		"service/v2/match":    {"enrich"},
		"service/v2/answers":  {"enrich", "enrich/tabular", "numbered", "service/jsonobject", "service/v2/match", "service/v2/records", "service/v2/units", "service/v2/v2fields"},
		"service/v2/v2tables": {"enrich", "enrich/tabular", "service/jsonobject", "service/v2/answers", "service/v2/records", "service/v2/units", "service/v2/v2fields"},
		"service/v2":          {"enrich", "enrich/tabular", "cost", "service/jsonobject", "service/paidhttp", "service/v2/..."},
	}
}

// runReportLayers lists the packages of reports on runs.
func runReportLayers() map[string][]string {
	return map[string][]string{
		"internal/runreport":         {"attempt", "checkpoint", "checkpoint/record", "cost", "enrich", "internal/report", "internal/report/usageview", "internal/report/planview", "internal/report/runview", "internal/report/form", "internal/usage", "pipeline/row"},
		"internal/runreport/reading": {"attempt", "checkpoint", "checkpoint/outcomes", "cost", "enrich/sharedhost", "internal/app", "internal/inspect", "internal/problem", "internal/recorded", "internal/report", "internal/observe", "internal/accounts", "internal/usage", "internal/report/planview", "internal/report/runview", "internal/runreport", "internal/workspace", "pipeline/dispatch", "service/v1", "service/v1/v1fields"},
		"internal/metrics":           {"cost"},
		"internal/jobpages":          {"checkpoint/record", "internal/app", "internal/jobrun", "internal/jobs", "internal/problem", "internal/report", "internal/runreport", "internal/runreport/reading", "internal/workspace", "io/atomicfile", "schedule"},
		"internal/metrics/reading":   {"attempt", "internal/waits", "checkpoint", "cost", "enrich", "internal/app", "internal/jobrun", "internal/jobs", "internal/metrics", "internal/report", "internal/observe", "internal/report/planview", "internal/runreport", "internal/runreport/reading", "pipeline/dispatch", "internal/workspace", "service/v1", "service/v1/v1fields", "service/v2/units", "service/v2/v2fields"},
		"cmd/batch/reporting":        {"cmd/batch/pages", "internal/app", "internal/flagvalue", "internal/planfile", "internal/problem", "internal/report", "internal/report/planview", "internal/runreport", "internal/runreport/reading", "internal/target"},
	}
}

// testPackageLayers lists the packages that nothing but tests uses.
func testPackageLayers() map[string][]string {
	return map[string][]string{
		"service/servicetest":         {},
		"internal/testuser":           {},
		"internal/terminaltest":       {},
		"internal/pgtest":             {"internal/testuser"},
		"io/parquettable/parquettest": {"io/table"},
		// Tests alone, of the stages and the journal with an interface that does not exist.
		"pipeline/thirdinterface": {"enrich", "enrich/tabular", "cost", "attempt", "pipeline/..."},
		// Tests alone, of how reports look.
		"internal/report/goldentest": {"internal/report", "service/v2/units", "internal/report/...", "attempt", "checkpoint", "checkpoint/verify", "cost", "enrich", "internal/listcost", "internal/outputs", "pipeline/dispatch"},
		// Tests alone, of everything below cmd/batch.
		"internal/simulation": {"enrich", "cost", "attempt", "pipeline/...", "internal/interfaces", "service/v2", "service/v2/...", "sandbox/..."},
	}
}

// groundLayers are the packages whose tests import no more than the packages do.
func groundLayers() []string { return []string{"enrich", "cost", "attempt", "forecast"} }

// testLayers lists what the tests of the other packages may import besides, to wire
// real things together.
func testLayers() []string {
	return []string{"enrich", "cost", "attempt", "internal/lists", "internal/pgtest", "internal/testuser", "sandbox", "sandbox/v2", "sandbox/units", "sandbox/fault", "sandbox/window", "sandbox/world", "service/v1", "service/v1/v1fields", "service/v2/v2fields", "service/servicetest", "checkpoint", "checkpoint/...", "io/..."}
}

// layersOf returns what a file may import of the module, or false when its package
// has no layer.
func layersOf(s *source) ([]string, bool) {
	allowed, found := layers()[s.dir]
	if !s.test {
		return allowed, found
	}
	allowed = append(slices.Clone(allowed), s.dir) // an external test package imports its own
	if !slices.Contains(groundLayers(), s.dir) {
		allowed = append(allowed, testLayers()...)
	}
	return allowed, found
}

// checkLayers fails for imports that do not point downwards.
func checkLayers(s *source) []Violation {
	allowed, found := layersOf(s)
	if !found {
		return []Violation{s.violation(RuleLayers, s.syntax.Name, "the package has no layer; add it to the table in internal/tidy/layers.go")}
	}
	var violations []Violation
	for _, imported := range s.imports {
		dir, inside := s.inModule(imported.path)
		if !inside || slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, dir) }) {
			continue
		}
		violations = append(violations, s.violation(RuleLayers, imported.spec,
			"imports %s, which is not below it; declare an interface here, or let cmd/batch wire them", dir))
	}
	return violations
}

// matches reports whether a folder is the pattern, or lies below a pattern that
// ends in "...".
func matches(pattern, dir string) bool {
	prefix, open := strings.CutSuffix(pattern, everything)
	return dir == pattern || open && strings.HasPrefix(dir, prefix)
}
