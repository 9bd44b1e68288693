package cost

import "payonce/enrich"

// Limited returns the meters that a limit is on. The hold is that of the call that was refused because of the
// limit. A limit on something that no meter counts, or that the call did not seem to need, is on all meters of the
// call: the same call would be refused again. Money is not one of them: other calls that cost money are not refused.
func (t Tariff) Limited(hold Hold, limit enrich.Limit) (meters Meters) {
	for m, info := range t.Meters {
		if limit.Meter != "" && info.Name == limit.Meter {
			meters = MetersOf(Meter(m))
		}
	}
	if needed := hold.Amounts().Meters(); meters&needed == 0 {
		meters |= needed
	}
	return meters &^ MetersOf(USD)
}
