package crm

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"payonce/io/sandbox/kit"
)

// editBefore lets the simulated editor change some contacts before a client's read is answered. Edit then changes them
// again in the same second.
func (s *Server) editBefore(contacts []*record) {
	for _, contact := range contacts {
		if s.isEdited(contact) && s.roll("same second", contact.id) < 0.5 {
			s.write(contact, map[string]string{"Title": "Edited title " + contact.id[len(contact.id)-4:]}, "editor", true)
		}
	}
}

func (s *Server) isEdited(contact *record) bool {
	return !contact.edited && s.roll("edited", contact.id) < s.config.Editing
}

// edit lets the simulated editor set an email, a phone or a title of some contacts after a client's read. The lock is
// held.
func (s *Server) edit(contacts []*record) {
	for _, contact := range contacts {
		if !s.isEdited(contact) {
			continue
		}
		contact.edited = true
		digits := contact.id[len(contact.id)-6:]
		field := []string{"Email", "Phone", "Title"}[int(s.roll("edited field", contact.id)*3)]
		value := map[string]string{
			"Email": "by-hand-" + digits + "@editor.example", "Phone": "+49 30 " + digits, "Title": "Title by hand " + digits,
		}[field]
		s.write(contact, map[string]string{field: value}, "editor", true)
	}
}

// Edit changes a contact like a user of the CRM. An empty value clears the field. It returns an error for an unknown
// contact.
func (s *Server) Edit(id string, values map[string]string) error {
	return s.change(id, func(contact *record) { s.write(contact, values, "editor", true) })
}

// Lock locks a contact, or unlocks it.
func (s *Server) Lock(id string, locked bool) error {
	return s.change(id, func(contact *record) { contact.locked = locked })
}

// Delete deletes a contact.
func (s *Server) Delete(id string) error {
	return s.change(id, func(contact *record) {
		delete(s.emails, strings.ToLower(contact.values["Email"]))
		delete(s.contacts, id)
	})
}

func (s *Server) change(id string, do func(*record)) error {
	defer s.open()()
	contact := s.contacts[id]
	if contact == nil {
		return fmt.Errorf("%w contact %q", kit.ErrUnknown, id)
	}
	do(contact)
	return nil
}

// EndTokens makes every access token invalid.
func (s *Server) EndTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
}

// SetCredits sets how many API credits are left.
func (s *Server) SetCredits(credits int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.credits = credits
}

// Contact is the present state of a contact.
type Contact struct {
	ID       string            `json:"id"`
	Modified string            `json:"modified"`
	Values   map[string]string `json:"values"`
	Company  string            `json:"company"`
	Website  string            `json:"website"`
	Locked   bool              `json:"locked"`
}

// Contacts returns the contacts in the order of their ids.
func (s *Server) Contacts() []Contact {
	defer s.open()()
	contacts := []Contact{}
	for _, id := range s.ids {
		if c := s.contacts[id]; c != nil {
			contacts = append(contacts, Contact{c.id, c.time(), maps.Clone(c.values), c.account.values["Account_Name"], c.account.values["Website"], c.locked})
		}
	}
	return contacts
}

// Audit has every write, and the forbidden writes of clients: overwriting or clearing a value that the client did not
// write, writing a value twice, and changing a field of mobile numbers.
type Audit struct {
	Writes   []Write  `json:"writes"`
	Problems []string `json:"problems"`
	Calls    int      `json:"calls"` // accepted calls
}

// Audit returns a copy.
func (s *Server) Audit() Audit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Audit{slices.Clone(s.writes), slices.Clone(s.problems), s.arrivals}
}

// AdminCalls lists the calls of the admin interface that are about the CRM.
func (s *Server) AdminCalls() []kit.AdminCall {
	done := map[string]bool{"done": true}
	call := kit.NewAdminCall
	return []kit.AdminCall{
		call("GET /crm/contacts", "the contacts of the CRM", "", func(*http.Request) (any, error) {
			return map[string]any{"contacts": s.Contacts()}, nil
		}),
		call("PUT /crm/contacts/{id}", "edit a contact like a user of the CRM; an empty value clears the field", `{"values":{"Title":"Buyer"}}`, func(r *http.Request) (any, error) {
			var input struct {
				Values map[string]string `json:"values"`
				Locked *bool             `json:"locked"`
			}
			if err := kit.ReadAdminBody(r, &input); err != nil {
				return nil, err
			}
			if input.Locked != nil {
				if err := s.Lock(r.PathValue("id"), *input.Locked); err != nil {
					return nil, err
				}
			}
			if len(input.Values) == 0 {
				return done, nil
			}
			return done, s.Edit(r.PathValue("id"), input.Values)
		}),
		call("DELETE /crm/contacts/{id}", "delete a contact", "", func(r *http.Request) (any, error) {
			return done, s.Delete(r.PathValue("id"))
		}),
		call("GET /crm/audit", "every write to the CRM, and the forbidden writes of clients", "", func(*http.Request) (any, error) {
			return s.Audit(), nil
		}),
		call("PUT /crm/credits/{number}", "set the number of API credits left", "", func(r *http.Request) (any, error) {
			credits, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
			if err != nil || credits < 0 {
				return nil, kit.BadInput("the number of credits is not a whole number from 0")
			}
			s.SetCredits(credits)
			return done, nil
		}),
		call("DELETE /crm/tokens", "end every access token", "", func(*http.Request) (any, error) {
			s.EndTokens()
			return done, nil
		}),
	}
}
