package fit

import (
	"slices"
	"strings"
	"unicode"
)

// fillers are words that names of companies have in some spellings and lack in others.
var fillers = wordSet(` the and of for de la le les du des der die das und et e y da do di del della los las el van von
	company co corporation `)

// generic are further words that many names of companies have. A name differs from another one by its other words. With
// them are names of countries and directions, because branches have them in their names. Two companies of one group
// often differ in such words alone.
var generic = wordSet(` group groupe gruppe grupo gruppo groep holding holdings international intl global worldwide europe european companies
	enterprises enterprise services service solutions partners partner associates consulting trading
	industries industrie industry management limited uk usa us eu emea uae germany deutschland france espana spain italia italy
	nederland netherlands belgium belgique osterreich austria schweiz suisse switzerland polska poland portugal ireland
	sverige sweden norge norway danmark denmark suomi finland canada australia india china japan america american
	iberica iberia nordic central north south east west registered branch zweigniederlassung succursale sucursal filiale
	filial formerly trading ta dba stichting vereniging verein association `)

// branches are words for the business of a company. They do not count as names: two companies that share only such
// words have nothing to do with each other.
var branches = wordSet(` logistics software foods food bank banking insurance energy media systems system technologies technology
	tech engineering construction medical pharma motors automotive retail travel hotel hotels restaurant transport
	transporte transports spedition bau immobilien versicherung versicherungen banque banco assurances telecom
	communications design studio studios labs laboratories capital ventures investment investments finance financial
	electronics electric power water chemicals plastics steel metal metals textile textiles fashion marketing
	advertising security healthcare health care education training digital data analytics cloud networks network
	university school college hospital clinic farm farms garden gardens properties property estates legal law sons son fils sohne zonen hijos
	figli brothers freres gebruder gebroeders hermanos fratelli bros works werke werk `)

func isGeneric(word string) bool { return generic[word] || fillers[word] }

func isBranch(word string) bool { return branches[word] }

// wordSet returns the set of the words of a text.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// shortForms are words that names of companies have in a short form.
var shortForms = map[string]string{
	"intl": "international", "int": "international", "mfg": "manufacturing", "bros": "brothers", "svcs": "services",
	"svc": "service", "assoc": "associates", "mgmt": "management", "dept": "department", "natl": "national",
	"ind": "industries", "inds": "industries", "grp": "group", "hldgs": "holdings", "hldg": "holding", "eng": "engineering",
	"tech": "technologies", "technology": "technologies", "st": "saint", "dr": "doctor", "univ": "university",
	"ges": "gesellschaft", "gebr": "gebruder", "gbr": "gebruder", "cie": "company", "fr": "france", "germany": "deutschland",
	"ctr": "center", "centre": "center", "solution": "solutions", "system": "systems", "service": "services",
	"logistic": "logistics", "industry": "industries", "laboratory": "laboratories", "lab": "laboratories", "labs": "laboratories",
	"dev": "development", "comm": "communications", "communication": "communications", "mount": "mt", "ltda": "limitada",
}

// compareCompanyNames compares two names of companies.
func compareCompanyNames(a, b string) level {
	if a == "" || b == "" {
		return missing
	}
	if a == b {
		return same
	}
	wordsA, formA := splitForm(a)
	wordsB, formB := splitForm(b)
	if len(wordsA) == 0 || len(wordsB) == 0 {
		return missing
	}
	found := compareWords(wordsA, wordsB)
	if found == same && formA != "" && formB != "" && formA != formB {
		return contains // another company of a group, or one that changed its form
	}
	switch isOther := scriptOf(a) != scriptOf(b); {
	case isOther && found == near:
		return alike // there are several ways to write other letters in Latin ones
	case isOther && found > contains:
		return missing // a name in another script may be a translation
	}
	return found
}

// furtherForms are legal forms besides those by which a search is decided. They are not translated.
var furtherForms = wordSet(` ae oe epe ike og kes pjsc jsc ojsc cjsc ao oao pao zao ooo tov spk zrt nyrt rt bt sp aktsiaselts aktiebolag
	osakeyhtio aktieselskab aksjeselskap aps ivs ans da ehf hf sarlau sicav scarl scrl sprl asbl vzw cvba commv sca scp
	selarl sel sem saeca sab cv sapi rl sac eirl spzoo ska adv dd jdoo eood ltee ulc pllc pc lc pbc lllp dba inh
	ka tic sti as berhad sdn bhd tbk pt cv gk yk kabushiki kaisha godo yugen limitada unlimited uc clg cic rtm `)

// splitForm returns the words of a name without its legal form, and the legal form.
func splitForm(name string) (words []string, form string) {
	name = strings.ReplaceAll(latin(name), "/", "") // as in A/S
	bare, form := normalise(name)
	words = joinLetters(strings.Fields(bare))
	for len(words) > 1 && (formOf(words[len(words)-1]) != "" || furtherForms[words[len(words)-1]]) {
		form, words = strings.TrimSpace(words[len(words)-1]+" "+form), words[:len(words)-1]
	}
	if len(words) > 1 && form == "" && (formOf(words[0]) != "" || furtherForms[words[0]]) {
		form, words = words[0], words[1:]
	}
	words = words[:min(len(words), mostWords)]
	for i, word := range words {
		if long, short := shortForms[word]; short {
			words[i] = long
		}
	}
	return words, form
}

// joinLetters joins single letters at the end, as of a legal form with spaces.
func joinLetters(words []string) []string {
	end := len(words)
	for end > 1 && len(words[end-1]) == 1 && words[end-1] > "9" {
		end--
	}
	if len(words)-end < 2 {
		return words
	}
	return append(words[:end:end], strings.Join(words[end:], ""))
}

// compareWords compares the words of two names.
func compareWords(a, b []string) level {
	joinedA, joinedB := strings.Join(a, ""), strings.Join(b, "")
	if joinedA == joinedB || sameWords(a, b) {
		return same
	}
	if differ, certain := compareDigits(a, b); certain {
		return differ
	}
	namesA, namesB := namingWords(a), namingWords(b)
	ownA, ownB, shared := pairWords(namesA, namesB)
	isSpelling := len(ownA) == 0 && len(ownB) == 0 || strings.Join(namesA, "") == strings.Join(namesB, "")
	switch {
	case isSpelling:
		return compareGeneric(a, b, spelledAlike(namesA, namesB))
	case isAcronym(a, b) || isAcronym(b, a) || isAcronym(namesA, b) || isAcronym(namesB, a):
		return near
	case len(a) != len(b) && isTypo(joinedA, joinedB):
		return near
	case min(len(joinedA), len(joinedB)) > 4 && (strings.HasPrefix(joinedA, joinedB) || strings.HasPrefix(joinedB, joinedA)):
		return contains
	case len(shared) == 0:
		return differs
	case (len(ownA) == 0 || len(ownB) == 0) && !allBranches(shared):
		return containsAll(a, b, ownA, ownB)
	case !shareName(namesA, namesB, shared):
		return differs
	default:
		return related
	}
}

// compareGeneric compares two names whose words are the same, except for generic words and spelling.
func compareGeneric(a, b []string, isSpelledAlike bool) level {
	ownA, ownB, _ := pairWords(genericWords(a), genericWords(b))
	isSpecific := slices.ContainsFunc(a, func(word string) bool { return !isGeneric(word) && !isBranch(word) })
	switch {
	case len(ownA) == 0 && len(ownB) == 0 && isSpelledAlike:
		return alike
	case len(ownA) == 0 && len(ownB) == 0:
		return near
	case len(ownA) > 0 && len(ownB) > 0 && !isSpecific: // for example the banks of two countries
		return differs
	case len(ownA) > 0 && len(ownB) > 0, !isSpecific:
		return contains
	default:
		return near
	}
}

// containsAll compares two names of which one has no words of its own, except generic ones. Acme Foods contains Acme.
// Acme Foods and Acme Partners are related, because each has a word that the other lacks.
func containsAll(a, b, ownA, ownB []string) level {
	genericA, genericB, _ := pairWords(genericWords(a), genericWords(b))
	if len(ownA)+len(genericA) > 0 && len(ownB)+len(genericB) > 0 {
		return related
	}
	return contains
}

// genericWords returns the words that are generic and not fillers.
func genericWords(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !generic[word] })
}

// spelledAlike reports whether two names have the same words in any order, except for spellings of umlauts.
func spelledAlike(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	for _, words := range [][]string{a, b} {
		for i, word := range words {
			words[i] = umlauts.Replace(word)
		}
	}
	return strings.Join(a, "") == strings.Join(b, "") || sameWords(a, b)
}

// umlauts replaces the spelling of an umlaut in two letters by the one in one letter.
var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

// allBranches reports whether words say nothing but what companies do.
func allBranches(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !isBranch(word) })
}

// shareName reports whether the words that two names share are more than what companies of one branch have: the first
// words that say more than the branch, or two such words.
func shareName(a, b, shared []string) bool {
	isName := func(word string) bool { return !isBranch(word) }
	names := 0
	for _, word := range shared {
		if isName(word) {
			names++
		}
	}
	if names != 1 {
		return names > 1
	}
	i, j := slices.IndexFunc(a, isName), slices.IndexFunc(b, isName)
	return i >= 0 && j >= 0 && (a[i] == b[j] || isSameWord(a[i], b[j]))
}

// sameWords reports whether two names have the same words in any order.
func sameWords(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// compareDigits compares the words with digits. Names that differ in a number are those of different companies, such as
// of two funds. It reports false where that decides nothing.
func compareDigits(a, b []string) (level, bool) {
	numbersA, numbersB := numbersOf(a), numbersOf(b)
	switch {
	case len(numbersA) == 0 && len(numbersB) == 0, sameWords(numbersA, numbersB):
		return missing, false
	case len(numbersA) > 0 && len(numbersB) > 0:
		return differs, true
	}
	return missing, false
}

// numbersOf returns the words that are numbers, in digits or Roman ones.
func numbersOf(words []string) (numbers []string) {
	for i, word := range words {
		roman := map[string]string{"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}[word]
		switch {
		case roman != "" && i > 0:
			numbers = append(numbers, roman)
		case strings.IndexFunc(word, unicode.IsDigit) >= 0:
			numbers = append(numbers, word)
		}
	}
	return numbers
}

// namingWords returns the words that tell companies apart; all words where that leaves none.
func namingWords(words []string) (naming []string) {
	for _, word := range words {
		if !isGeneric(word) {
			naming = append(naming, word)
		}
	}
	if len(naming) == 0 {
		return words
	}
	return naming
}

// pairWords pairs words of two names that are the same word, and returns the others.
func pairWords(a, b []string) (ownA, ownB, shared []string) {
	left := slices.Clone(b)
	for _, word := range a {
		i := slices.Index(left, word)
		if i < 0 {
			i = slices.IndexFunc(left, func(other string) bool { return isSameWord(word, other) })
		}
		if i < 0 {
			ownA = append(ownA, word)
			continue
		}
		shared, left = append(shared, word), slices.Delete(left, i, i+1)
	}
	return ownA, left, shared
}

// isSameWord reports whether two words may be one: spelled differently, or one is the beginning of the other.
func isSameWord(a, b string) bool {
	shorter, longer := a, b
	if len(shorter) > len(longer) {
		shorter, longer = longer, shorter
	}
	return len(shorter) > 3 && strings.HasPrefix(longer, shorter) && len(longer) <= 2*len(shorter)+2 ||
		skeleton(a) == skeleton(b) || isTypo(a, b)
}

// isAcronym reports whether the words of one name are the first letters of another one's.
func isAcronym(short, long []string) bool {
	letters := strings.Join(short, "")
	if len(letters) < 2 || len(long) < 2 || len(short) > 2 {
		return false
	}
	var all, naming strings.Builder
	for _, word := range long {
		all.WriteByte(word[0])
		if !isGeneric(word) {
			naming.WriteByte(word[0])
		}
	}
	return all.String() == letters || naming.Len() > 1 && naming.String() == letters
}
