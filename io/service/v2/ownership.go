package v2

import (
	"encoding/json"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// Ownership is an ownership record (specification v2, "Ownership record").
type Ownership struct {
	Shareholders   []Shareholder
	Data           []string // texts, or JSON: the specification does not show what they are
	GroupStructure []GroupMember

	enrich.CellProblems
}

func ownership(m *members, o *Ownership) {
	records(m, "shareholders", &o.Shareholders, shareholder)
	m.values("data", &o.Data)
	records(m, "group_structure", &o.GroupStructure, groupMember)
}

// Shareholder owns shares of a company.
type Shareholder struct {
	ID, Name, Currency, ShareValue, ShareType cost.Optional[string]
	Quantity                                  cost.Optional[int64]
	CreatedAt                                 cost.Optional[time.Time]
	SharePrice                                cost.Optional[float64]
}

func shareholder(m *members, s *Shareholder) {
	m.text("id", &s.ID)
	m.text("name", &s.Name)
	m.integer("quantity", &s.Quantity)
	m.text("currency", &s.Currency)
	m.text("share_value", &s.ShareValue)
	m.timestamp("created_at", &s.CreatedAt)
	m.text("share_type", &s.ShareType)
	m.number("share_price", &s.SharePrice)
}

// GroupMember is an entry of a group structure. The specification shows its ID alone.
type GroupMember struct {
	ID cost.Optional[string]
	// Entry is the whole entry as compact JSON, with its members in the order of their names.
	Entry cost.Optional[string]
	// IsHead says that the entry has a member parent_id, which is null. The specification does not show such a member.
	IsHead bool
	Name   string // "" where the entry has none
}

func groupMember(m *members, g *GroupMember) {
	m.text("id", &g.ID)
	if m.reading {
		entry := map[string]json.RawMessage{}
		for _, one := range m.from {
			entry[string(one.name)] = one.value
		}
		if entry, err := json.Marshal(entry); err == nil {
			g.Entry = cost.Known(plainValue(entry))
		}
		g.IsHead = string(entry["parent_id"]) == "null"
		g.Name, _ = parseText(entry["name"])
		return
	}
	m.text("entry", &g.Entry)
}

// shareholderColumns returns the columns of a shareholder.
func shareholderColumns() []enrich.TableColumn { return columnsOf(shareholder) }

// Cells returns the values of the shareholder, in the order of shareholderColumns.
func (s Shareholder) Cells() []enrich.Cell { return cellsOf(s, shareholder) }

// groupColumns returns the columns of an entry of a group structure.
func groupColumns() []enrich.TableColumn { return columnsOf(groupMember) }

// Cells returns the values of the entry, in the order of groupColumns.
func (g GroupMember) Cells() []enrich.Cell { return cellsOf(g, groupMember) }

// ownershipMembers returns what a list shows of an ownership record: the first shareholder and the parent.
func ownershipMembers() []enrich.TableColumn {
	return []enrich.TableColumn{
		{Name: "shareholder_name"},
		{Name: "shareholder_quantity", Kind: enrich.IntegerCell},
		{Name: "shareholder_share_type"},
		{Name: "shareholder_share_value"},
		{Name: "shareholder_currency"},
		{Name: "parent_id"},
		{Name: "parent_name"},
	}
}

// listCells returns the values of ownershipMembers. The parent is the only entry of the group structure that says that it
// has no parent.
func (o Ownership) listCells() []enrich.Cell {
	var first Shareholder
	if len(o.Shareholders) > 0 {
		first = o.Shareholders[0]
	}
	var heads []GroupMember
	for _, entry := range o.GroupStructure {
		if entry.IsHead {
			heads = append(heads, entry)
		}
	}
	var parent GroupMember
	if len(heads) == 1 {
		parent = heads[0]
	}
	return []enrich.Cell{
		enrich.TextOf(first.Name.Value),
		{Kind: enrich.IntegerCell, Known: first.Quantity.Known, Integer: first.Quantity.Value},
		enrich.TextOf(first.ShareType.Value), enrich.TextOf(first.ShareValue.Value), enrich.TextOf(first.Currency.Value),
		enrich.TextOf(parent.ID.Value), enrich.TextOf(parent.Name),
	}
}

// decodeOwnership reads an ownership record. An error says that the body is none.
func decodeOwnership(body []byte) (Ownership, error) {
	var problems enrich.CellProblems
	o, err := decode(body, "an ownership record", &problems, ownership)
	o.CellProblems = problems
	return o, err
}

// Empty reports whether the record says nothing.
func (o Ownership) Empty() bool {
	return len(o.Shareholders) == 0 && len(o.Data) == 0 && len(o.GroupStructure) == 0
}
