package columns_test

import (
	"testing"

	"payonce/pipeline/columns"
)

// TestOneColumnIsTheRecordID recognises the id of a record, and none where several columns may be meant. Such a list is
// read all the same.
func TestOneColumnIsTheRecordID(t *testing.T) {
	for header, want := range map[string]int{
		"Record ID;id":          4,
		"id;Lead ID":            5,
		"Contact ID;Lead ID":    columns.None,
		"Account ID;Company ID": columns.None,
		"id;GUID":               columns.None,
		"contact_id;other":      columns.None, // that of the service
		"#;Salesforce ID":       5,
	} {
		_, reading, err := recognise(t, "First Name;Last Name;Website;Company;"+header+"\nAnn;Lee;acme.example;Acme;17;18\n", columns.Options{})
		if err != nil {
			t.Fatalf("%s: %v", header, err)
		}
		if got := reading.Mapping.Column(columns.RecordID); got != want {
			t.Errorf("%s: column %d, want %d", header, got, want)
		}
	}
}

// TestGivenRecordColumnsReplaceRecognisedOnes gives both roles to other columns, and to none.
func TestGivenRecordColumnsReplaceRecognisedOnes(t *testing.T) {
	const list = "First Name;Last Name;Company;Record ID;Key;Changed\nAnn;Lee;Acme;1;2;3\n"
	_, reading, err := recognise(t, list, columns.Options{Overrides: []string{"record_id=Key", "record_modified=Changed"}})
	if err != nil || reading.Mapping.Column(columns.RecordID) != 4 || reading.Mapping.Column(columns.RecordModified) != 5 {
		t.Errorf("%v, %v", reading, err)
	}
	_, reading, err = recognise(t, list, columns.Options{Overrides: []string{"record_id="}})
	if err != nil || reading.Mapping.Column(columns.RecordID) != columns.None {
		t.Errorf("%v, %v", reading, err)
	}
}

// TestMobileColumnsTakeNoBusinessPhone has the names that programs and people give to columns of phones.
func TestMobileColumnsTakeNoBusinessPhone(t *testing.T) {
	for _, header := range []string{
		"Mobile", "Mobile Phone", "MobilePhone", "mobilephone", "Mobile Phone Number", "Phone - Mobile", "Cell", "Cell Phone", "cellphone",
		"Handy", "Handynummer", "Mobiltelefon", "Telefon mobil", "telefonmobil", "Móvil", "Celular", "Cellulare", "Portable",
		"Téléphone portable", "GSM", "GSM-nummer", "Natel", "Telemóvel", "Smartphone", "Mob.", "Mob No", "Tel (mob)", "Hand phone", "iPhone",
		"WhatsApp", "SMS", "Cep telefonu", "Мобильный", "Κινητό", "נייד", "جوال", "携帯電話", "手机", "手機號碼", "Phone (mobile)", "person.mobile_phone",
		"M", "m:", "Phone (M)", "Tel. m", "M Phone", "Mob", "MOBNO", "TelMob", "mobtel", "Tel (mobiel)", "Mobiele telefoon", "Phone (C)", "C",
		"Telefone móvel", "tel. kom.", "HP", "No. HP", "Ponsel", "Di động", "휴대폰", "行動電話", "Telefonino", "Phone (H)", "Tel h",
		"Home Phone", "Telefon privat", "Private Phone", "Personal Phone", "Fax", "Assistant Phone", "Owner Phone",
	} {
		if columns.WhyNotBusinessPhone(header) == "" {
			t.Errorf("%q takes a business phone", header)
		}
	}
	for _, header := range []string{
		"Phone", "Phone Number", "Business Phone", "Work Phone", "Phone - Work", "Telefon", "Telefon geschäftlich", "Téléphone", "Tel.",
		"Direct Phone", "telephone1", "Phone (W)", "Phone (B)", "Phone 1", "전화", "Điện thoại", "Telefono", "Numer telefonu", "Work tel", "Teléfono", "Telefoonnummer", "Телефон", "Τηλέφωνο", "電話", "Recept telefon",
	} {
		if why := columns.WhyNotBusinessPhone(header); why != "" {
			t.Errorf("%q: %s", header, why)
		}
	}
}
