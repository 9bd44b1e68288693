package enrich

import (
	"strings"
	"testing"
)

func TestOfFindsSharedHostsAndTheHostsBelowThem(t *testing.T) {
	for host, want := range map[string]HostKind{
		"linkedin.com": NetworkHost, "de.linkedin.com": NetworkHost, "a.b.linkedin.com": NetworkHost, "notlinkedin.com": NotSharedHost,
		"linkedin.com.example": NotSharedHost, "com": NotSharedHost, "": NotSharedHost, "acme.example": NotSharedHost, "mail.acme.example": NotSharedHost,
		"crunchbase.com": DirectoryHost, "maps.google.com": DirectoryHost, "google.com": NotSharedHost, "bit.ly": PageHost, "gmail.com": MailHost,
		"yahoo.co.uk": MailHost, "sedo.com": ParkedHost, "wixsite.com": PageHost, "acme.wixsite.com": NotSharedHost, ".": NotSharedHost,
	} {
		if got := SharedHostOf([]byte(host)); got != want {
			t.Errorf("%s is of kind %d, want %d", host, got, want)
		}
	}
}

// TestDirectoriesOfEveryLanguageAreShared has the registers and directories that lists of companies name most, for the
// countries of the languages of headers and some others.
func TestDirectoriesOfEveryLanguageAreShared(t *testing.T) {
	for language, hosts := range map[string]string{
		"English": `find-and-update.company-information.service.gov.uk companycheck.co.uk endole.co.uk yell.com thomsonlocal.com
			core.cro.ie solocheck.ie goldenpages.ie opencorporates.com dnb.com bloomberg.com crunchbase.com yelp.com bbb.org
			bizapedia.com yellowpages.com sunbiz.org yellowpages.ca abr.business.gov.au yellowpages.com.au nzbn.govt.nz
			zaubacorp.com justdial.com bizfile.gov.sg`,
		"German": `northdata.de northdata.com firmenwissen.de wlw.de wlw.at wlw.ch gelbeseiten.de 11880.com unternehmensregister.de
			handelsregister.de bundesanzeiger.de firmenabc.at herold.at firmenbuchgrundbuch.at zefix.ch zefix.admin.ch
			moneyhouse.ch local.ch lbr.lu`,
		"French": `societe.com pappers.fr infogreffe.fr verif.com manageo.fr annuaire-entreprises.data.gouv.fr bodacc.fr
			pagesjaunes.fr kbopub.economie.fgov.be companyweb.be pagesdor.be registreentreprises.gouv.qc.ca`,
		"Spanish": `einforma.com empresite.eleconomista.es infocif.es axesor.es librebor.me infoempresa.com paginasamarillas.es
			informacolombia.com rues.org.co datosperu.org cuitonline.com seccionamarilla.com.mx`,
		"Italian":    `paginegialle.it registroimprese.it ufficiocamerale.it reportaziende.it fatturatoitalia.it paginebianche.it`,
		"Portuguese": `racius.com einforma.pt publicacoes.mj.pt pai.pt cnpj.biz econodata.com.br casadosdados.com.br telelistas.net`,
		"Dutch":      `kvk.nl drimble.nl companyinfo.nl goudengids.nl telefoonboek.nl goudengids.be trendstop.be`,
		"others": `krs-pobierz.pl aleo.com rejestr.io panoramafirm.pl allabolag.se hitta.se proff.no proff.se proff.dk brreg.no
			virk.dk datacvr.virk.dk cvr.dk ytj.fi finder.fi ares.gov.cz firmy.cz finstat.sk orsr.sk listafirme.ro papagal.bg
			companywall.hr ajpes.si e-cegjegyzek.hu rekvizitai.vz.lt lursoft.lv ariregister.rik.ee kompass.com europages.com`,
	} {
		for host := range strings.FieldsSeq(hosts) {
			for _, named := range []string{host, "any." + host} {
				if got := SharedHostOf([]byte(named)); got != DirectoryHost {
					t.Errorf("%s: %s is of kind %d, want a directory", language, named, got)
				}
			}
		}
	}
}

func TestPagesOfAHostCanBeShared(t *testing.T) {
	for address, want := range map[string]HostKind{
		"google.com": NotSharedHost, "google.com/": NotSharedHost, "google.com/maps/place/Acme": DirectoryHost, "google.de/maps?q=acme": DirectoryHost,
		"google.com/MAPS": DirectoryHost, "google.com/mapsandmore": NotSharedHost, "google.com/search?q=acme": DirectoryHost, "google.com/forms/d/1": PageHost,
		"booking.com": NotSharedHost, "booking.com/hotel/de/acme.html": DirectoryHost, "zoom.us": NotSharedHost, "zoom.us/j/123": PageHost, "eu.zoom.us/j/123": PageHost,
		"northdata.de/Acme+GmbH": DirectoryHost, "acme.example/maps": NotSharedHost,
	} {
		host, path, found := strings.Cut(address, "/")
		if found {
			path = "/" + path
		}
		if got := OfPage([]byte(host), []byte(path)); got != want {
			t.Errorf("%s is of kind %d, want %d", address, got, want)
		}
	}
}

// TestTheListIsWellFormed guards the file that people edit.
func TestTheListIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if len(words) < 2 || len(words) > 3 || len(words) == 3 && words[2] != "only" {
			t.Errorf("the line %q is not a kind and a host", line)
			continue
		}
		host := words[1]
		name, path, _ := strings.Cut(host, "/")
		if OfPage([]byte(name), []byte("/"+path)) == NotSharedHost {
			t.Errorf("%q is not a kind", words[0])
		}
		if seen[host] || host != strings.ToLower(host) || strings.HasPrefix(host, "www.") || !strings.Contains(host, ".") {
			t.Errorf("%q is not a host in lower case that is named once", host)
		}
		seen[host] = true
	}
	for host := range seen {
		for _, parent, found := strings.Cut(host, "."); found; _, parent, found = strings.Cut(parent, ".") {
			if seen[parent] && !strings.Contains(host, "/") && SharedHostOf([]byte("any."+parent)) == SharedHostOf([]byte(host)) {
				t.Errorf("the line of %s stands for %s too", parent, host)
			}
		}
	}
	if len(seen) < 300 {
		t.Errorf("the list has %d hosts", len(seen))
	}
}

func TestOfAllocatesNothing(t *testing.T) {
	host := []byte("mail.acme.example")
	if n := testing.AllocsPerRun(100, func() { SharedHostOf(host) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkOf(b *testing.B) {
	host := []byte("acme-industries.example")
	for b.Loop() {
		SharedHostOf(host)
	}
}
