package columns

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The strengths of header names. A smaller one is chosen when several columns could have one role.
const (
	strong = iota // says the role and no other
	usual
	weak
	// byContent names of columns that have the role only when their cells say so too.
	byContent
	// noName is the strength of all other names.
	noName
)

// headerNames are header names by role and strength, simplified. A mobile number is not a business phone: no name
// of one is in this list (specification v1, "Client rules for writing results into a CRM contact").
//
// Languages: English, German, French, Spanish, Italian, Portuguese and Dutch, and the usual names in Polish,
// Swedish, Danish, Norwegian, Finnish and Czech.
func headerNames() map[Role][noName]string {
	all := personNames()
	maps.Copy(all, employerNames())
	return all
}

// personNames are those of roles that persons have.
func personNames() map[Role][noName]string {
	return map[Role][noName]string{
		ProfileURL: {
			strong: `profileurl linkedinurl linkedinprofileurl linkedinprofile linkedinlink personlinkedinurl personlinkedin
				contactlinkedinurl pronetworkurl pronetworkprofile defaultprofileurl publicprofileurl linkedincontactprofileurl
				linkedinprofil linkedinprofillink profillinkedin perfillinkedin profilolinkedin profiellinkedin profilelinkedin
				urllinkedin lienlinkedin enlacelinkedin hslinkedinurl linkedinpublicurl linkedinmemberprofile`,
			usual: `linkedin profilelink linkedincontact linkedinid linkedinaccount`,
			weak:  `profile`,
			byContent: `url link profil profillink profilurl perfil profilo profiel weblink xing xingprofil socialprofile lien
				enlace`,
		},
		FirstName: {
			strong: `firstname namefirst namegiven givenname forename fname contactfirstname vorname rufname prenom
				nombredepila primernombre
				primeironome voornaam roepnaam imie imiona fornamn fornavn etunimi jmeno krestnijmeno
				attendeefirstname participantfirstname delegatefirstname speakerfirstname contactfirst leadfirstname`,
			usual:     `first prenoms nombres givennames vornamen`,
			byContent: `given`,
		},
		LastName: {
			strong: `lastname namelast namefamily surname familyname lname contactlastname nachname familienname zuname
				nomdefamille apellidos
				apellido primerapellido cognome sobrenome apelido ultimonome achternaam familienaam nazwisko efternamn
				efternavn etternavn sukunimi prijmeni attendeelastname
				participantlastname delegatelastname speakerlastname contactlast leadlastname`,
			usual: `last`,
		},
		FullName: {
			strong: `fullname namefull completename contactfullname vollername vollstandigername namevollstandig vorundnachname
				vornamenachname nachnamevorname nomcomplet nometprenom prenometnom nomprenom prenomnom nombrecompleto
				nombreyapellidos
				apellidosynombre nomecompleto nomeecognome cognomeenome nomecognome nomesobrenome volledigenaam
				voorenachternaam imieinazwisko nazwiskoiimie imienazwisko fornamnochefternamn
				fuldenavn fulltnavn kokonimi jmenoaprijmeni celejmeno`,
			usual: `contactname contactperson personname leadname prospectname kontaktname ansprechpartner kontaktperson
				nomducontact
				nombredecontacto nomecontatto nomedocontato naamcontactpersoon contactpersoon displayname osobakontaktowa
				kontaktperson
				yhteyshenkilo kontaktniosoba attendeename participantname speakername delegatename employeename`,
			weak: `name nom naam nombre nome contact kontakt contacto contatto contato person osoba namn navn nimi attendee
				participant
				speaker delegate registrant teilnehmer teilnehmerin teilnehmerinnen referent referentin mitarbeiter
				ansprechperson
				participante intervenant conferencier asistente ponente partecipante relatore palestrante deelnemer spreker
				medewerker uczestnik prelegent deltagare deltager talare`,
		},
	}
}

// employerNames are those of the company of a person.
func employerNames() map[Role][noName]string {
	return map[Role][noName]string{
		CompanyDomain: {
			strong: `companydomain companydomainname companywebsite firmendomain firmenwebsite webseitefirma unternehmenswebsite
				domaineentreprise siteentreprise sitewebentreprise dominioempresa dominiodelaempresa sitiowebdelaempresa
				dominioaziendale sitowebazienda dominiodaempresa sitedaempresa bedrijfsdomein bedrijfswebsite stronafirmy
				associatedcompanydomain
				organizationwebsite accountwebsite organizationdomain organizationprimarydomain organizationwebsiteurl
				companyprimarydomain accountdomain employerdomain employerwebsite`,
			usual: `domain website websiteurl companyurl webseite internetseite homepage internet siteweb siteinternet
				sitioweb paginaweb sitoweb sitointernet dominio domaine domein stronawww stronainternetowa hemsida webbplats
				hjemmeside nettside nettsted kotisivu webovestranky webadresse webpage businesshomepage
				companywebsiteurl primarydomain emaildomain employerurl accounturl organizationurl organisationurl`,
			weak:      `regularcompanyurl site website1value websitevalue companywebpage`,
			byContent: `web url1 www`,
		},
		CompanyName: {
			strong: `company companyname organization organisation organizationname organisationname employer account
				accountname
				currentcompany employername firma firmenname unternehmen unternehmensname arbeitgeber organisationsname
				entreprise societe
				nomentreprise nomdelentreprise nomdelasociete employeur empresa nombredelaempresa nombreempresa compania azienda
				nomeazienda ragionesociale societa datoredilavoro nomedaempresa nomeempresa bedrijf bedrijfsnaam organisatie
				werkgever companyaccount associatedcompany nazwafirmy foretag foretagsnamn bolag bolagsnamn virksomhed
				virksomhedsnavn
				virksomhet bedrift firmanavn selskab selskap yritys yrityksennimi spolecnost nazevfirmy nazevspolecnosti`,
			usual: `firm org affiliation companyorganisation companyorganization raisonsociale denominationsociale razonsocial
				denominacionsocial razaosocial denominacaosocial denominazionesociale handelsnaam attendeecompany
				organizationsname organization1name organisation1name currentcompanyname currentemployer personorganization
				organizationnaam
				personorganisation`,
			weak: `companynameforemails companyorganization companycleaned cleanedcompanyname`,
		},
	}
}

// fieldNames are the header names of fields, as headerNames.
func fieldNames() map[Role][noName]string {
	return map[Role][noName]string{
		Email: {
			strong: `workemail businessemail workemailaddress businessemailaddress emailwork professionalemail emailbusiness
				geschaftlicheemail geschaeftlicheemail emailgeschaftlich dienstlicheemail emaildienstlich emailprofessionnel
				emailpro
				courrielprofessionnel correoprofesional emailprofesional emailcorporativo emailaziendale emailprofissional
				zakelijkemail zakelijkeemail emailzakelijk emailsluzbowy`,
			usual: `email emailaddress mail emailadresse mailadresse adresseemail adressemail courriel adressecourriel correo
				correoelectronico direcciondecorreo direcciondecorreoelectronico indirizzoemail postaelettronica enderecodeemail
				emailadres mailadres attendeeemail participantemail delegateemail adresemail adresmailowy epost epostadress
				epostadresse sahkoposti contactemail personemail primaryemail hsemail emails emailaddresses emailsvalue
				emailaddressesvalue`,
			weak: `email1 1email email1address`,
		},
		Phone: {
			strong: `telefonodiretto
				businessphone workphone businessphonenumber workphonenumber officephone workdirectphone phonework
				directphone
				geschaftstelefon telefongeschaftlich telefondienstlich diensttelefon telefonburo telephoneprofessionnel
				telephonebureau telefonodetrabajo telefonooficina telefonoufficio telefonolavoro
				telefonecomercial
				telefonedetrabalho werktelefoon telefoonwerk zakelijktelefoonnummer`,
			usual: `phone phonenumber telephone telephonenumber tel telefon telefonnummer rufnummer numerodetelephone telefono
				numerodetelefono numeroditelefono telefone numerodetelefone numertelefonu telefonnr telefoninumero telefoon
				telefoonnummer contactphone primaryphone phones phonenumbers
				phonesvalue phonenumbersvalue`,
			weak: `phone1 businessphone1`,
		},
	}
}

// headerStrengths returns the strength of every header name by role.
func headerStrengths() map[Role]map[string]int {
	strengths := map[Role]map[string]int{}
	all := headerNames()
	maps.Copy(all, fieldNames())
	maps.Copy(all, companyNames())
	for role, lists := range all {
		strengths[role] = map[string]int{}
		for strength, list := range lists {
			for name := range strings.FieldsSeq(list) {
				strengths[role][name] = strength
			}
		}
	}
	return strengths
}

// simplify returns a header's letters and digits in lower case, without accents.
func simplify(header string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFD.String(header))
}

// wrappers are members of JSON that hold the members of a person, and elements where a value is one of several.
const wrappers = `person names contact contacts profile properties attributes fields data record lead prospect candidate
				customer user
	info basic basics details identity contactinfo personalinfo source social socials sociallinks links urls`

// spellings returns the simplified names of a header: that of the whole header, and for a path in JSON
// those without the objects that only hold the person's members. The first element stands for its array.
func spellings(header string) []string {
	found := []string{simplify(header)}
	steps := strings.Split(strings.ReplaceAll(header, "[0]", ""), ".")
	if whole := simplify(strings.Join(steps, "")); whole != found[0] {
		found = append(found, whole)
	}
	for i := 1; i < len(steps) && slices.Contains(strings.Fields(wrappers), simplify(steps[i-1])); i++ {
		found = append(found, simplify(strings.Join(steps[i:], "")))
	}
	return found
}

// wordsOf returns the words of a header in lower case, without accents. A capital after a small letter
// begins a word.
func wordsOf(header string) []string {
	var text strings.Builder
	before := ' '
	for _, r := range norm.NFD.String(header) {
		switch {
		case unicode.Is(unicode.Mn, r):
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				text.WriteByte(' ')
			}
			text.WriteRune(unicode.ToLower(r))
		default:
			text.WriteByte(' ')
		}
		before = r
	}
	return strings.Fields(text.String())
}

// contains reports whether one of the words begins with one of the given ones.
func contains(words []string, begins string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		for begin := range strings.FieldsSeq(begins) {
			if strings.HasPrefix(word, begin) {
				return true
			}
		}
		return false
	})
}

// has reports whether one of the words consists of the given parts, such as "telefon" and "nummer". A word that only
// begins with a part, such as "phonetic", does not.
func has(words []string, parts string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return consists(word, parts) })
}

// consists reports whether a word is one of the parts, perhaps with others or a number behind it.
func consists(word, parts string) bool {
	for part := range strings.FieldsSeq(parts) {
		rest, found := strings.CutPrefix(word, part)
		if found && (strings.Trim(rest, "0123456789") == "" || consists(rest, parts+" "+behindParts)) {
			return true
		}
	}
	return false
}

// isOfCompany reports whether the words of a header say that a column holds what belongs to a whole company.
func isOfCompany(words []string) bool {
	return contains(words, ofCompany) || slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains(strings.Fields(ofCompanyWords), word)
	})
}

// The words of headers that show whose value a column holds and of which kind it is.
const (
	emailParts = `email emails mail mails courriel courriels correo correos gmail posta`
	phoneParts = `phone phones tel tels telephone telephones telefon telefono telefonos telefone telefones telefoon telefonu
		telefonszam mobile mobiles mobil mobilt mobilni cell cells cellphone cellular handy fon ligne portable
		movil moviles cellulare cellulari celular celulares telemovel telemoveis gsm direct directe directo`
	// behindParts stand behind those within one word.
	behindParts = `s number numbers no nr nrs num nummer nummern numero numer nummeret adresse adressen adress address addresses
		adres adressat elettronica electronico phone telefon telefoon tlf funk line dial durchwahl`
	// recordIDs are simplified names of columns with ids of records.
	recordIDs = `id recordid contactid leadid personid customerid clientid memberid externalid crmid hubspotid salesforceid rowid
		vmid guid uuid kundennummer kundennr`
	// privateWords show that a number is a mobile one or a private one.
	privateWords = `mobile mobil cell handy portable movil cellulare celular telemovel gsm home private privat personal
		personnel particular casa thuis`
	// otherPersons show that the value is another person's.
	otherPersons = `owner manager assistant assistent referr reports creator created modified updated by sender cc bcc besitzer
		inhaber recruiter rep fax telefax verantwort buyer purchaser payer billing besteller kaufer acheteur comprador
		acquirente koper`
	// ofCompany show that the value is that of a whole company, such as the number of its switchboard. It is never read
	// as a person's, and nothing of a person is written to it.
	ofCompany = `company corporate corp hq headquarter headoffice switchboard main account organi firma firmen firmensitz
		unternehmen betrieb gesellschaft konzern zentrale zentral hauptsitz hauptverwaltung empfang sammel funktionspost
		entreprise societe siege accueil standard standardtelephone empresa compania centralita recepcion sede matriz
		societa ditta centralino reception recepcao bedrijf hoofdkantoor centrale receptie foretag bolag vaxel virksomhed
		virksomhet bedrift selskab selskap sentralbord omstilling hovednummer yritys yhtio vaihde keskus spolecnost ustredna
		centrala spolka employer employeur empleador empregador werkgever arbeitgeber arbeidsgiver arbetsgivare tyonantaja
		hotline kundenservice customerservice helpdesk generic shared store branch filiale niederlassung frontdesk`
	// ofCompanyWords are those of whole words: others begin with them, such as "azienda" and "aziendale".
	ofCompanyWords = ` azienda aziende firmy firm head info general generale generico generica generique allgemein
		allgemeine allgemeines algemeen site location sucursal `
	// notValues show that the column is about a value and does not hold it.
	notValues = `status opt optin optout valid verified verification confidence score sent open opened bounce bounced
		click clicked source type label domain subscri unsubscri consent date time count last quality catch campaign
		list subject template reply replied format extension ext country code`
)

// loneLast are header names of last names beside a column of first names, and loneFirst the other way round.
const (
	loneLast  = `name nom naam`
	loneFirst = `nome nombre`
)
