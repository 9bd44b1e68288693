package record

import (
	"strconv"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

var (
	start = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	email = enrich.FieldsOf(enrich.WorkEmail)
	rates = cost.AllowancePerField(enrich.Named("work_email", "business_phone")).At(cost.Prices{enrich.WorkEmail: 15 * cost.Cent, enrich.BusinessPhone: 25 * cost.Cent})
)

func person(n int) enrich.Identity {
	return enrich.Identity{ProfileURL: "https://pro.example/in/p" + strconv.Itoa(n)}
}

// account is a reading with free units.
func account() (account cost.Account) {
	account.Free[enrich.WorkEmail], account.Free[enrich.BusinessPhone] = cost.Known[int64](1), cost.Known[int64](2)
	return account
}
