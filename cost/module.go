package cost

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Operation is a kind of calls that the service counts on one module, with the meters that it is assumed to count on.
type Operation struct {
	Name   string
	Meters Meters
}

func (o Operation) compare(other Operation) int {
	return cmp.Or(cmp.Compare(o.Name, other.Name), cmp.Compare(o.Meters, other.Meters))
}

// modules returns the meters of modules: those that count calls.
func (t Tariff) modules() Meters { return t.counted(CountsPeriod) | t.counted(CountsNow) }

// ModulesOf returns the modules among the meters of some amounts. They are those that a call was counted on, or
// may have been.
func (t Tariff) ModulesOf(amounts Amounts) Meters { return amounts.Meters() & t.modules() }

// room is how much a counter grew beyond what is known to have moved it.
type room struct {
	meter Meter // USD for a module that no operation is assumed to count on
	units int64
}

// rooms returns the counters that the account shows. A booked unit of an operation whose module is not confirmed may
// have moved another counter, so it is part of the room of its own. A counter that only one of the snapshots shows
// may have risen by any number.
func (e Evidence) rooms(change Change, unconfirmed map[Operation]int64) (rooms []room) {
	for m := range e.Tariff.modules().Each() {
		if !change.Shown.Has(m) {
			if e.Base.Used[m].Known != e.Now.Used[m].Known {
				rooms = append(rooms, room{m, math.MaxInt64})
			}
			continue
		}
		units := change.Lost[m] - e.Booked.Settled[m]
		if e.Assumed {
			units = change.Lost[m] // a part of what is booked may not have happened
		}
		for o, calls := range unconfirmed {
			if o.Meters.Has(m) {
				units += calls
			}
		}
		rooms = append(rooms, room{m, units})
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(e.Base.OtherUsed)), maps.Keys(e.Now.OtherUsed))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		before, shown := e.Base.OtherUsed[name]
		after, stillShown := e.Now.OtherUsed[name]
		if shown && stillShown {
			rooms = append(rooms, room{USD, after - before})
		} else {
			rooms = append(rooms, room{USD, math.MaxInt64})
		}
	}
	return rooms
}

// Confirm returns the operations of answered calls whose modules the snapshots confirm, and the meters of time
// spans that they do. An operation is confirmed when its calls cannot all have been counted on another module:
// however the operations that are not confirmed are spread over the counters, one that counts on another module does
// not fit in what the counters show.
func (e Evidence) Confirm() (operations []Operation, spans Meters) {
	change, why := e.moved()
	if why != "" || e.Assumed {
		return nil, 0
	}
	for m := range (e.Tariff.counted(CountsSpan) & change.Shown).Each() {
		if booked := e.Booked.Settled[m]; booked > 0 && change.Lost[m] >= booked {
			spans |= MetersOf(m)
		}
	}
	answered := maps.Clone(e.Answered)
	maps.DeleteFunc(answered, func(o Operation, _ int64) bool { return slices.Contains(e.Confirmed, o) })
	rooms := e.rooms(change, answered)
	all := slices.SortedFunc(maps.Keys(answered), func(a, b Operation) int {
		return cmp.Or(cmp.Compare(answered[b], answered[a]), a.compare(b))
	})
	for i, o := range all {
		others := slices.Delete(slices.Clone(all), i, i+1)
		own := slices.DeleteFunc(slices.Clone(rooms), func(r room) bool { return r.meter == USD || !o.Meters.Has(r.meter) })
		fits := slices.ContainsFunc(own, func(r room) bool { return answered[o] <= r.units })
		steps := maxSpreads
		if fits && !e.elsewhere(o, others, rooms, answered, &steps) {
			operations = append(operations, o)
		}
	}
	return operations, spans
}

// maxSpreads bounds the search for a way to spread operations over counters.
const maxSpreads = 1 << 16

// elsewhere reports whether the calls of an operation can have been counted on a module that is not its own, or whether
// that takes too long to tell.
func (e Evidence) elsewhere(o Operation, others []Operation, rooms []room, calls map[Operation]int64, steps *int) bool {
	for i, r := range rooms {
		if r.meter != USD && o.Meters.Has(r.meter) || r.units < calls[o] {
			continue
		}
		rest := slices.Clone(rooms)
		rest[i].units -= calls[o]
		if spread(others, rest, calls, steps) {
			return true
		}
	}
	return false
}

// spread reports whether every operation fits on some counter.
func spread(operations []Operation, rooms []room, calls map[Operation]int64, steps *int) bool {
	if len(operations) == 0 {
		return true
	}
	if *steps--; *steps < 0 {
		return true
	}
	n := calls[operations[0]]
	for i := range rooms {
		if rooms[i].units < n {
			continue
		}
		rooms[i].units -= n
		fits := spread(operations[1:], rooms, calls, steps)
		if rooms[i].units += n; fits {
			return true
		}
	}
	return false
}

// unproved returns the modules whose counters prove nothing about the lost calls: an operation is only assumed to
// count on one, and another counter rose without explanation. If the call that was lost is of this operation, that
// counter may have counted it. If answered calls are, it may have counted those, and the module a lost call of
// another operation. The name is that of such an operation.
func (e Evidence) unproved(change Change) (meters Meters, name string) {
	if len(e.Lost) == 0 {
		return 0, ""
	}
	confirmed, _ := e.Confirm()
	rooms := e.rooms(change, nil)
	answered := slices.SortedFunc(maps.Keys(e.Answered), Operation.compare)
	for _, o := range slices.Concat(e.Lost, answered) {
		known := func(c Operation) bool { return c.Name == o.Name && c.Meters&^o.Meters == 0 }
		if slices.ContainsFunc(e.Confirmed, known) || slices.ContainsFunc(confirmed, known) {
			continue
		}
		rose := func(r room) bool { return r.units > 0 && (r.meter == USD || !o.Meters.Has(r.meter)) }
		if slices.ContainsFunc(rooms, rose) {
			meters, name = meters|o.Meters, cmp.Or(name, o.Name, "a call whose subject was erased")
		}
	}
	return meters, name
}
