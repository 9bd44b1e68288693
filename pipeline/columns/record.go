// This file finds the columns by which another program finds a row again: the id of its record, and when the record was
// changed last. It also says which columns of that program a phone must not be written to.

package columns

import (
	"slices"
	"strings"
)

// Header names of records, simplified. The ids of other things, such as of accounts and of rows, are not among them.
const (
	ownRecordIDs = `recordid contactrecordid recordidcontact leadrecordid personrecordid hsobjectid donotmodifycontact donotmodifylead`
	kindIDs      = `contactid leadid personid crmid hubspotid salesforceid zohoid pipedriveid dynamicsid`
	plainIDs     = `id externalid guid uuid`

	modifiedTimes = `modifiedtime lastmodifieddate lastmodified lastmodifiedtime lastmodifiedat lastmodifiedon modifiedon modifieddate
		modifiedat donotmodifymodifiedon updatetime updatedat updatedon lastupdated lastupdatedat lastupdate systemmodstamp
		recordmodified hslastmodifieddate zuletztgeandert zuletztgeandertam geandertam anderungsdatum datedemodification
		derniermodification fechademodificacion ultimamodifica datamodifica datademodificacao laatstgewijzigd gewijzigdop`
)

// findRecord finds the columns of the id and the modified time of records. No lookup uses them. So a list with several
// candidates is not refused: then none of them gets the role.
func (r *recognition) findRecord() {
	for _, find := range []struct {
		role  Role
		lists []string
	}{{RecordID, []string{ownRecordIDs, kindIDs, plainIDs}}, {RecordModified, []string{modifiedTimes}}} {
		if columns, overridden := r.chosen[find.role]; overridden {
			r.give(find.role, columns, r.whyChosen(find.role))
			continue
		}
		if !r.byPreset(find.role) {
			r.giveRecord(find.role, find.lists)
		}
	}
}

// giveRecord gives a role to the only column with a name of the first list that names one.
func (r *recognition) giveRecord(role Role, lists []string) {
	for _, list := range lists {
		found := columnsWhere(r.schema, func(header string) bool {
			return header != string(ContactID) && slices.ContainsFunc(spellings(header), func(name string) bool {
				return slices.Contains(strings.Fields(list), name)
			})
		})
		found = slices.DeleteFunc(found, func(column int) bool { return r.taken[column] || r.isAppended(column) })
		if len(found) == 1 {
			r.give(role, found, ByHeader)
		}
		if len(found) > 0 {
			return
		}
	}
}

// mobileWords are parts of words in simplified headers of mobile numbers. A column whose header has one by chance is not
// written to, which does no harm.
const mobileWords = `mob cellul celular cellphone cellno cellnumber handy movil movel telemov gsm natel portable smartphone komork
	matkapuh kannykka handphone iphone whatsapp ponsel seluler diđộng telefonino мобил сотов κινητ נייד جوال محمول 携帯 手机 手機
	行動 行动 휴대 핸드폰`

// mobileAlone are words of headers of mobile numbers. They are parts of other words, too. One letter is how address
// books shorten the kind, such as "Phone (M)".
const mobileAlone = `cell cel cep sms kom hp m c`

// homeAlone is how address books shorten the kind of a private number.
const homeAlone = `h`

// isMobile reports whether a header is that of mobile numbers.
func isMobile(header string) bool {
	whole := simplify(header)
	for part := range strings.FieldsSeq(mobileWords) {
		if strings.Contains(whole, simplify(part)) {
			return true
		}
	}
	return hasWholeWord(header, mobileAlone)
}

// isPrivateNumber reports whether a header is that of private numbers, mobile ones among them.
func isPrivateNumber(header string) bool {
	return isMobile(header) || hasWholeWord(header, homeAlone) || contains(wordsOf(header), privateWords)
}

// hasWholeWord reports whether a header has one of the given words.
func hasWholeWord(header, given string) bool {
	words := wordsOf(header)
	return slices.ContainsFunc(strings.Fields(given), func(word string) bool { return slices.Contains(words, word) })
}

// WhyNotBusinessPhone says why a column with this header does not hold business phones, and "" when it may hold them. A
// phone is never written to a column of mobile numbers, even when other facts speak for the phone
// (specification v1, "Client rules for writing results into a CRM contact").
func WhyNotBusinessPhone(header string) string {
	switch {
	case isMobile(header):
		return "it is a column of mobile numbers"
	case isPrivateNumber(header):
		return "it is a column of private numbers"
	case contains(wordsOf(header), otherPersons):
		return "it is a column of other numbers than the person's"
	}
	return ""
}

// IsSharedMailbox reports whether an email is that of a mailbox which belongs to a whole company, such as info@.
func IsSharedMailbox(email string) bool { return isSharedMailbox([]byte(email)) }
