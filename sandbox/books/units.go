package books

import (
	"encoding/json"

	"payonce/enrich"
)

// Units are numbers of returned fields, by field.
type Units enrich.ByField[int64]

// unitsByName is how units are written.
type unitsByName struct {
	WorkEmail     int64 `json:"work_email"`
	BusinessPhone int64 `json:"business_phone"`
}

// MarshalJSON writes the units by the names of the fields.
func (u Units) MarshalJSON() ([]byte, error) {
	return json.Marshal(unitsByName{u[enrich.WorkEmail], u[enrich.BusinessPhone]})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (u *Units) UnmarshalJSON(text []byte) error {
	var named unitsByName
	err := json.Unmarshal(text, &named)
	u[enrich.WorkEmail], u[enrich.BusinessPhone] = named.WorkEmail, named.BusinessPhone
	return err
}
