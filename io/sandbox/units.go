package sandbox

import (
	"encoding/json"

	"payonce/enrich"
	"payonce/io/service/v1"
)

// FieldUnits are numbers of returned fields, by field.
type FieldUnits enrich.ByField[int64]

// unitsByName is how units are written.
type unitsByName struct {
	WorkEmail     int64 `json:"work_email"`
	BusinessPhone int64 `json:"business_phone"`
}

// MarshalJSON writes the units by the names of the fields.
func (u FieldUnits) MarshalJSON() ([]byte, error) {
	return json.Marshal(unitsByName{u[v1.WorkEmail], u[v1.BusinessPhone]})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (u *FieldUnits) UnmarshalJSON(text []byte) error {
	var named unitsByName
	err := json.Unmarshal(text, &named)
	u[v1.WorkEmail], u[v1.BusinessPhone] = named.WorkEmail, named.BusinessPhone
	return err
}
