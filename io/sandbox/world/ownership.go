package world

import (
	"fmt"
	"time"
)

// Shareholder is one owner (specification v2, "Ownership record").
type Shareholder struct {
	ID         int     `json:"id"`
	Name       string  `json:"name"`
	Quantity   int     `json:"quantity"`
	Currency   string  `json:"currency"`
	ShareValue string  `json:"share_value"`
	CreatedAt  string  `json:"created_at"`
	ShareType  string  `json:"share_type"`
	SharePrice float64 `json:"share_price"`
}

// Member is one company of a group.
type Member struct {
	ID       int     `json:"id"`
	Name     string  `json:"name"`
	Country  string  `json:"country_code"`
	Level    int     `json:"level"`
	ParentID *int    `json:"parent_id"`
	Share    float64 `json:"share_percent"`
}

// Ownership is who owns a company, and its group.
type Ownership struct {
	Shareholders []Shareholder `json:"shareholders"`
	Data         []any         `json:"data"`
	Group        []Member      `json:"group_structure"`
}

// OwnershipOf returns the owners of a company. Some groups are empty.
func (w World) OwnershipOf(c Company) Ownership {
	o := Ownership{Shareholders: []Shareholder{}, Data: []any{}, Group: []Member{}}
	count := int(c.draw(ofOwners)%5) + 1
	for i := range count {
		drawn := c.draw(ofOwners, uint64(i))
		quantity := int(drawn%900) + 100
		price := float64(drawn%7+1) * 0.5
		name := w.nameOf(c, 500+i)
		if drawn%4 == 0 {
			name = w.relative(c, i).Name()
		}
		founded := c.Founded().AddDate(0, i, 0).Add(9 * time.Hour)
		o.Shareholders = append(o.Shareholders, Shareholder{
			ID: int(drawn % 100_000_000), Name: name, Quantity: quantity, Currency: c.Country().Currency,
			ShareValue: fmt.Sprintf("%.2f", float64(quantity)*price), CreatedAt: founded.Format("2006-01-02T15:04:05-07:00"),
			ShareType: pickBy(drawn>>8, "Ordinary", "Preference", "A Ordinary"), SharePrice: price,
		})
	}
	o.Group = w.group(c)
	return o
}

// relative returns a listed company that belongs to the group of another.
func (w World) relative(c Company, number int) Company {
	return w.listedCompany(listed{name: int(c.draw(ofGroup, uint64(number)) % uint64(listedNames))})
}

// HasForeignParent reports whether the head of the group is of another country.
func (w World) HasForeignParent(c Company) bool {
	return c.groupSize() > 0 && w.relative(c, 0).country != c.country
}

// groupSize returns how many other companies are in the group.
func (c Company) groupSize() int { return max(0, int(c.draw(ofGroup)%7)-2) }

// group returns the parent, the company where its identifier is an integer, and its sisters.
func (w World) group(c Company) []Member {
	group := []Member{}
	var parent *int
	for i := range c.groupSize() {
		relative := w.relative(c, i)
		member := Member{
			ID: relative.listed.id(), Name: relative.Name(), Country: relative.Country().Code, ParentID: parent,
			Share: float64(c.draw(ofGroup, uint64(i), 1)%50 + 51),
		}
		if parent == nil {
			member.Share = 100
			head := member.ID
			parent = &head
		} else {
			member.Level = 1
		}
		group = append(group, member)
	}
	return group
}
