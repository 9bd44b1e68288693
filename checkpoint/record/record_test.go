package record

import (
	"strconv"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/service/v1/v1fields"
)

var (
	start = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	email = enrich.FieldsOf(v1fields.WorkEmail)
	rates = cost.AllowancePerField(enrich.Named("work_email", "business_phone")).At(cost.Prices{v1fields.WorkEmail: 15 * cost.Cent, v1fields.BusinessPhone: 25 * cost.Cent})
)

func person(n int) enrich.Identity {
	return enrich.Identity{ProfileURL: "https://pro.example/in/p" + strconv.Itoa(n)}
}

// account is a reading with free units.
func account() (account cost.Account) {
	account.Free[v1fields.WorkEmail], account.Free[v1fields.BusinessPhone] = cost.Known[int64](1), cost.Known[int64](2)
	return account
}
