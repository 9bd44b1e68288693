package columns

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"payonce/enrich"
)

// Holds reports whether a cell of a further column holds a value that counts as held. The role is that of the
// column to which such values are written.
func Holds(filled Role, cell []byte, held Held) bool {
	if filled == Phone {
		return isPhone(cell)
	}
	if bytes.IndexByte(cell, '@') < 0 || !isEmail(cell) {
		return false
	}
	return held != HeldWork || hasWorkEmail(cell)
}

// hasWorkEmail reports whether one of the addresses in a cell is not that of a private mailbox.
func hasWorkEmail(cell []byte) bool {
	for word := range strings.FieldsFuncSeq(string(cell), isBetweenEmails) {
		_, domain, found := strings.Cut(strings.ToLower(word), "@")
		if found && enrich.SharedHostOf([]byte(strings.Trim(domain, "."))) != enrich.MailHost {
			return true
		}
	}
	return false
}

// isBetweenEmails reports whether a character separates the addresses of a cell.
func isBetweenEmails(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,;:<>|"()`, r) }

// sharedMailboxes are the texts before the @ of mailboxes that belong to a whole company.
const sharedMailboxes = ` info infos information informationen informacion informazioni informatie contact contacts contacto contactos contato
	contatto contatti contactus kontakt kontakte office buero buro bureau mail post postmaster posta poczta email hello hallo hi hola bonjour
	sales vertrieb verkauf verkoop ventas vendas vendite ventes commercial comercial commerciale export support service services
	kundenservice kundendienst klantenservice help helpdesk team admin administration administracion verwaltung zentrale empfang
	reception recepcion accueil secretariat sekretariat secretaria segreteria secretariaat enquiries enquiry inquiries inquiry
	general welcome webmaster marketing press presse hr jobs career careers bewerbung billing invoice invoices rechnung
	rechnungen accounts accounting buchhaltung noreply no-reply donotreply feedback shop store order orders bestellung booking
	bookings reservations reservierung biuro sekretariat firma company `

// isSharedMailbox reports whether every address of a cell is that of a mailbox that belongs to a whole company.
func isSharedMailbox(cell []byte) bool {
	found := false
	for word := range strings.FieldsFuncSeq(strings.ToLower(string(cell)), isBetweenEmails) {
		local, _, isAddress := strings.Cut(word, "@")
		if !isAddress {
			continue
		}
		if !slices.Contains(strings.Fields(sharedMailboxes), local) {
			return false
		}
		found = true
	}
	return found
}
