package record

import (
	"strconv"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

var (
	start = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	email = enrich.FieldsOf(v1.WorkEmail)
	rates = cost.AllowancePerField(enrich.Named("work_email", "business_phone")).At(cost.Prices{v1.WorkEmail: 15 * cost.Cent, v1.BusinessPhone: 25 * cost.Cent})
)

func person(n int) enrich.Identity {
	return enrich.Identity{ProfileURL: "https://pro.example/in/p" + strconv.Itoa(n)}
}

// account is a reading with free units.
func account() (account cost.Account) {
	account.Free[v1.WorkEmail], account.Free[v1.BusinessPhone] = cost.Known[int64](1), cost.Known[int64](2)
	return account
}
