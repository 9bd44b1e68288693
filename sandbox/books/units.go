package books

import (
	"encoding/json"

	"payonce/enrich"
	"payonce/service/v1/v1fields"
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
	return json.Marshal(unitsByName{u[v1fields.WorkEmail], u[v1fields.BusinessPhone]})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (u *Units) UnmarshalJSON(text []byte) error {
	var named unitsByName
	err := json.Unmarshal(text, &named)
	u[v1fields.WorkEmail], u[v1fields.BusinessPhone] = named.WorkEmail, named.BusinessPhone
	return err
}
