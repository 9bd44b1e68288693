package crm

import (
	"fmt"
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/enrich/fit"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
)

// phoneType is the name of the detail of an answer that says which kind of phone it is. "unknown" says nothing.
const phoneType = "phone_type"

// judge notes what shows that the value belongs to the person of the row, and what contradicts that.
func (l *Line) judge(row *enrich.Described, value *output.FoundValue) {
	l.judgeName(row, value)
	if value.Role == columns.Email {
		l.judgeEmail(row[enrich.PartWebsite], value.Value)
	}
	if value.Role == columns.Phone {
		l.judgePhone(value.About[phoneType])
	}
}

func (l *Line) agrees(format string, args ...any) {
	l.For = append(l.For, fmt.Sprintf(format, args...))
}

func (l *Line) differs(format string, args ...any) {
	l.Against = append(l.Against, fmt.Sprintf(format, args...))
}

// judgeName compares the names. It also notes what else differs between the row and the answers.
func (l *Line) judgeName(row *enrich.Described, value *output.FoundValue) {
	found := nameOf(&value.Says)
	agreement := fit.CompareNames(row, &value.Says)
	l.name = agreement == fit.Equal
	switch {
	case agreement == fit.Equal:
		l.agrees("the found name is equal: %s", found)
	case agreement == fit.Similar:
		l.agrees("the found name is similar: %s", found)
	case agreement == fit.Different && value.Fit.Differences == "":
		l.differs("the found name differs: %s", found)
	case agreement == fit.NotCompared && found == "":
		l.differs("the answer has no name")
	case agreement == fit.NotCompared:
		l.differs("the found name cannot be compared: %s", found)
	}
	if value.Fit.Differences != "" {
		l.differs("the answer differs: %s", value.Fit.Differences)
	}
}

func (l *Line) judgeEmail(website, email string) {
	_, domain, _ := strings.Cut(strings.ToLower(email), "@")
	agreement := fit.CompareDomain(website, email)
	l.domain = agreement == fit.Equal
	switch {
	case enrich.SharedHostOf([]byte(domain)) == enrich.MailHost:
		l.differs("%s is a provider of private mailboxes", domain)
	case agreement == fit.Equal:
		l.agrees("the email is at the company's domain")
	case agreement == fit.Similar:
		l.agrees("the email is at %s, which is similar to the company's domain", domain)
	case agreement == fit.Different:
		l.differs("the email is at %s, the company is at %s", domain, website)
	default:
		l.differs("the row has no domain of the company")
	}
	if columns.IsSharedMailbox(email) {
		l.differs("the mailbox belongs to a whole company")
	}
}

func (l *Line) judgePhone(kind string) {
	switch {
	case kind == "" || strings.EqualFold(kind, "unknown"):
		l.differs("nothing says which kind of phone it is")
	case columns.WhyNotBusinessPhone(kind) != "":
		l.differs("the kind of phone is %s", kind)
	default:
		l.agrees("the kind of phone is %s", kind)
	}
}

// nameOf returns the name of a person.
func nameOf(says *enrich.Described) string { return fit.NameOf(says) }

// Rule approves values without a person. The user has to ask for it.
type Rule struct {
	Name string
	// Approves continues "approves".
	Approves string
	role     columns.Role
	domain   bool
}

// Rules returns all rules. No rule approves a value that something contradicts.
func Rules() []Rule {
	return []Rule{
		{"name-and-domain", "an email at the company's domain when the found name is equal to the row's", columns.Email, true},
		{"name-and-phone", "a phone of a known kind, which is not mobile, when the found name is equal to the row's", columns.Phone, false},
	}
}

// RuleOf returns the rule with a name.
func RuleOf(name string) (Rule, error) {
	all := Rules()
	at := slices.IndexFunc(all, func(r Rule) bool { return r.Name == name })
	if at < 0 {
		var names []string
		for _, rule := range all {
			names = append(names, rule.Name)
		}
		return Rule{}, problem.Usagef("there is no rule %q; the rules are %s", name, strings.Join(names, ", "))
	}
	return all[at], nil
}

// holds reports whether the rule approves a value.
func (rule Rule) holds(r *Review, l *Line) bool {
	return l.State == Open && r.Targets[l.Target].Role == rule.role && l.name && (l.domain || !rule.domain) && len(l.Against) == 0
}

// Apply approves the open and undecided values for which the rule holds. It returns their places.
func (r *Review) Apply(rule Rule) (decided []int) {
	for i := range r.Lines {
		line := &r.Lines[i]
		if line.Decision == Undecided && rule.holds(r, line) && line.Decide(Approve, rule.Name) == nil {
			decided = append(decided, i)
		}
	}
	return decided
}
