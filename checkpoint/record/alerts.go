package record

import (
	"time"

	"payonce/io/numbered"
)

// Alert is a message about a job that has to reach channels. It is written in the commit that records what it is
// about.
type Alert struct {
	// ID follows from the journal, the job, the occurrence, the start and the kind. A fact that is found twice
	// has one alert.
	ID         string    `json:"id"`
	Job        string    `json:"job"`
	Occurrence string    `json:"occurrence,omitempty"` // the local date and time
	Start      int64     `json:"start,omitempty"`      // of the occurrence; 0 when it did not run
	Kind       string    `json:"kind"`
	At         time.Time `json:"at"` // when it happened
	Text       string    `json:"text"`
	Figures    []Figure  `json:"figures,omitempty"`
	// Deliveries has an entry for each channel that the alert has to reach.
	Deliveries []Delivery `json:"deliveries"`
	// Period is "week" or "month" for a report on one, whose last day or month is the occurrence; "" for other alerts.
	Period string `json:"period,omitempty"`
}

// Figure is a number of an alert with its name.
type Figure struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Delivery says whether one channel accepted an alert, and when it is sent to the channel again.
type Delivery struct {
	Channel   string    `json:"channel"`
	Tries     int64     `json:"tries,omitempty"`
	Tried     time.Time `json:"tried,omitzero"` // the last time
	Next      time.Time `json:"next,omitzero"`  // when it is tried again
	Error     string    `json:"error,omitempty"`
	Delivered time.Time `json:"delivered,omitzero"` // zero until the channel accepted it
}

func alertMembers(m *numbered.Members, a *Alert) {
	numbered.Text(m, 1, &a.ID)
	numbered.Text(m, 2, &a.Job)
	numbered.Text(m, 3, &a.Occurrence)
	numbered.Int(m, 4, &a.Start)
	numbered.Text(m, 5, &a.Kind)
	numbered.Time(m, 6, &a.At)
	numbered.Text(m, 7, &a.Text)
	numbered.List(m, 8, &a.Figures, figureMembers)
	numbered.List(m, 9, &a.Deliveries, deliveryMembers)
	numbered.Text(m, 10, &a.Period)
}

func figureMembers(m *numbered.Members, f *Figure) {
	numbered.Text(m, 1, &f.Name)
	numbered.Text(m, 2, &f.Value)
}

func deliveryMembers(m *numbered.Members, d *Delivery) {
	numbered.Text(m, 1, &d.Channel)
	numbered.Int(m, 2, &d.Tries)
	numbered.Time(m, 3, &d.Tried)
	numbered.Time(m, 4, &d.Next)
	numbered.Text(m, 5, &d.Error)
	numbered.Time(m, 6, &d.Delivered)
}

// AlertKey returns the key of an alert. The alerts of a job are together.
func AlertKey(job, id string) []byte { return NameKey(AlertPrefix, job+"/"+id) }
