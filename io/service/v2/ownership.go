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
