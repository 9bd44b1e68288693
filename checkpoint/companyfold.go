// This file has the companies of persons, and the addresses of their pages, as erasure compares them.

package checkpoint

import (
	"net/url"
	"slices"
	"strings"

	"payonce/enrich"
)

// company is what says which company somebody works for, folded.
type company struct{ domains, names []string }

func (c company) isOneOf(k *knowledge) bool {
	isKnown := func(known []string) func(string) bool {
		return func(text string) bool { return slices.Contains(known, text) }
	}
	return slices.ContainsFunc(c.domains, isKnown(k.domains)) || slices.ContainsFunc(c.names, isKnown(k.companies))
}

func (c company) addTo(k *knowledge) {
	k.domains, k.companies = append(k.domains, c.domains...), append(k.companies, c.names...)
	slices.Sort(k.domains)
	slices.Sort(k.companies)
	k.domains, k.companies = slices.Compact(k.domains), slices.Compact(k.companies)
}

func (c *company) add(domain, name string) {
	c.domains = append(c.domains, domainsOf(domain)...)
	if form := foldName(name); form != "" {
		c.names = append(c.names, form)
	}
}

func (k *knowledge) companyOf(id enrich.Identity) (c company) {
	c.add(id.CompanyDomain, id.CompanyName)
	c.add(id.Email, "")
	c.add(id.Company.Website, id.Company.Name)
	return c
}

func (k *knowledge) companyOfMatch(m PersonMatch) company {
	c := k.companyOf(m.Identity)
	c.add(m.Facts.Email, m.Facts.CompanyName)
	return c
}

// companyOfMention returns the company of a mention: its own, or else the one that the attempt is about.
func (k *knowledge) companyOfMention(x Mention, about enrich.Identity) (c company) {
	c.add(x.CompanyDomain, x.CompanyName)
	for _, email := range x.Emails {
		c.add(email, "")
	}
	if len(c.domains)+len(c.names) == 0 {
		c = k.companyOf(about)
	}
	return c
}

// domainsOf returns the domain of a company by its domain, website or email; none for a host that many companies share.
func domainsOf(text string) []string {
	anybody := enrich.Contact{FirstName: "a", LastName: "b", CompanyDomain: strings.TrimSpace(text)}
	at, _ := anybody.Identify(enrich.ByName)
	if at.CompanyDomain == "" {
		return nil
	}
	return []string{at.CompanyDomain}
}

// pageOf returns the identity by a profile. It reports false for a text that is not the address of one.
func pageOf(address string) (enrich.Identity, bool) {
	if !strings.Contains(address, "/") || strings.ContainsAny(strings.TrimSpace(address), " \n") {
		return enrich.Identity{}, false
	}
	id, reason := enrich.Contact{ProfileURL: address}.Identify(enrich.ByProfile)
	return id, reason == ""
}

func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Hostname()
}
