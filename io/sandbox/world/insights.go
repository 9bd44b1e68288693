package world

import (
	"fmt"
	"math"
	"time"
)

// Insights is what is known of a website (specification v2, "Digital insights record").
type Insights struct {
	Domain               *string        `json:"domain"`
	DomainName           *string        `json:"domain_name"`
	Nameservers          *string        `json:"nameservers"`
	IP                   *string        `json:"ip"`
	ISPName              *string        `json:"isp_name"`
	ISPCountry           *string        `json:"isp_country"`
	Raw                  *string        `json:"raw"`
	RedirectURL          *string        `json:"redirect_url"`
	IconURL              *string        `json:"icon_url"`
	ID                   int            `json:"id"`
	MXList               []string       `json:"mx_list"`
	ContactCity          *string        `json:"contact_city"`
	ContactCountry       *string        `json:"contact_country"`
	ContactEmail         *string        `json:"contact_email"`
	ContactName          *string        `json:"contact_name"`
	ContactPhone         *string        `json:"contact_phone"`
	ContactPostalcode    *string        `json:"contact_postalcode"`
	ContactState         *string        `json:"contact_state"`
	ContactStreet        *string        `json:"contact_street"`
	ContactOrganization  *string        `json:"contact_organization"`
	ExpirationDate       string         `json:"expiration_date"`
	CreatedAt            string         `json:"created_at"`
	TrafficDate          string         `json:"traffic_date"`
	DomainCreationDate   string         `json:"domain_creation_date"`
	BounceRate           string         `json:"engagement_bounce_rate"`
	PageViews            float64        `json:"engagement_page_views"`
	TimeOnSite           string         `json:"engagement_time_on_site"`
	TotalVisits          int            `json:"engagement_total_visits"`
	TotalRelativeChange  *float64       `json:"engagement_total_relative_change"`
	GlobalRankChange     *float64       `json:"global_rank_change"`
	CategoryRankChange   *float64       `json:"category_rank_change"`
	CountryRankChange    *float64       `json:"country_rank_change"`
	GlobalRank           int            `json:"global_rank"`
	CategoryRank         int            `json:"category_rank"`
	CountryRank          int            `json:"country_rank"`
	LegacyRank           int            `json:"legacy_rank"`
	TotalTraffic         int            `json:"total_traffic"`
	TopCountryShares     []CountryShare `json:"top_country_shares"`
	Referrals            []any          `json:"referrals"`
	Keywords             []any          `json:"keywords"`
	ReferralsDestination []any          `json:"referrals_destination"`
	Visits               []Visit        `json:"visits"`
	OrganicSearch        int            `json:"stat_organic_search"`
	Direct               int            `json:"stat_direct"`
	Referral             int            `json:"stat_referral"`
	OrganicPercent       float64        `json:"stat_organic_search_percent"`
	DirectPercent        float64        `json:"stat_direct_percent"`
	ReferralPercent      float64        `json:"stat_referral_percent"`
	Technologies         []Group        `json:"technologies"`
	Graph                Graph          `json:"graph"`
	UpVisits             bool           `json:"up_visits"`
}

// CountryShare is the part of the visits that comes from one country.
type CountryShare struct {
	ID            int      `json:"id"`
	CountryID     int      `json:"traffic_country_id"`
	SharePercent  float64  `json:"share_percent"`
	ShareChange   *float64 `json:"share_change"`
	Name          string   `json:"name"`
	TrafficDataID int      `json:"traffic_data_id"`
}

// Visit is how often a website was visited in a month.
type Visit struct {
	ID            int    `json:"id"`
	TrafficDataID int    `json:"traffic_data_id"`
	Date          string `json:"date_value"`
	Value         int    `json:"value"`
}

// Group are technologies of one kind.
type Group struct {
	ID        int          `json:"id"`
	Name      string       `json:"name"`
	ParentID  *int         `json:"parent_id"`
	Important bool         `json:"important"`
	List      []Technology `json:"list"`
}

// Technology is something that a website uses.
type Technology struct {
	ID          int    `json:"id"`
	Name        string `json:"name"`
	ImagePath   string `json:"image_path"`
	Description string `json:"description"`
	Category    string `json:"category"`
}

// Graph is the course of the visits and of their sources.
type Graph struct {
	Visits struct {
		Categories []string `json:"categories"`
		Data       [][2]any `json:"data"`
	} `json:"visits"`
	Sources struct {
		Organic  [][2]any `json:"organic"`
		Direct   [][2]any `json:"direct"`
		Referral [][2]any `json:"referral"`
	} `json:"sources"`
}

// Traffic returns the visits of the last month and the rank that follows from them.
func (c Company) Traffic() (visits, rank int) {
	visits = int(math.Exp2(4 + c.share(ofVisits)*16))
	return visits, 100_000_000/visits + int(c.draw(ofRank)%1000)
}

// TechnologyIDs returns the technologies that the website uses, as the nomenclature numbers them.
func (c Company) TechnologyIDs() []int {
	ids := make([]int, 2+c.draw(ofTechnologies)%10)
	for i := range ids {
		ids[i] = int(c.draw(ofTechnologies, uint64(i)) % technologyCount)
	}
	unique := ids[:0]
	seen := map[int]bool{}
	for _, id := range ids {
		if !seen[id] {
			unique = append(unique, id+1)
		}
		seen[id] = true
	}
	return unique
}

// some returns a value, or nil for a share of the companies.
func some[T any](c Company, which uint64, value T) *T {
	if c.draw(ofVisits, 100, which)%4 == 0 {
		return nil
	}
	return &value
}

// Insights returns what is known of the company's website.
func (c Company) Insights() Insights {
	visits, rank := c.Traffic()
	number := int(c.key % 1_000_000_000)
	domain, place := c.Domain(), c.Place()
	registered := c.Founded().AddDate(2, 0, 0)
	if registered.Year() < 1995 {
		registered = registered.AddDate(1995-registered.Year(), 0, 0)
	}
	const moment = "2006-01-02T15:04:05"
	organic := 20 + 50*c.share(ofVisits, 1)
	direct := (100 - organic) * c.share(ofVisits, 2)
	percent := func(p float64) float64 { return math.Round(p*100) / 100 }
	in := Insights{
		Domain: &domain, DomainName: &domain, Nameservers: some(c, 1, "ns1."+domain+" ns2."+domain),
		IP: some(c, 2, fmt.Sprintf("192.0.2.%d", number%254+1)), ISPName: some(c, 3, "Sandbox Hosting"),
		ISPCountry: some(c, 4, c.Country().Code), IconURL: some(c, 5, c.Website()+"/icon.png"), ID: number,
		MXList: []string{"mx." + domain}, ContactCity: some(c, 6, place.City), ContactCountry: some(c, 7, c.Country().Code),
		ContactOrganization: some(c, 8, c.Name()), ContactPostalcode: some(c, 9, place.Zip),
		ExpirationDate: time.Date(lastYear+2, registered.Month(), 1, 0, 0, 0, 0, time.UTC).Format(moment),
		CreatedAt:      registered.Format(moment), TrafficDate: fmt.Sprintf("%d-12-01T00:00:00", lastYear),
		DomainCreationDate: registered.Format(time.DateOnly), BounceRate: fmt.Sprintf("%.4f", 0.2+0.6*c.share(ofVisits, 3)),
		PageViews:   percent(1 + 8*c.share(ofVisits, 4)),
		TimeOnSite:  fmt.Sprintf("00:%02d:%02d", c.draw(ofVisits, 5)%12, c.draw(ofVisits, 6)%60),
		TotalVisits: visits, TotalRelativeChange: some(c, 10, percent(c.share(ofVisits, 7)-0.5)),
		GlobalRankChange: some(c, 11, float64(number%200-100)), CountryRankChange: some(c, 12, float64(number%50-25)),
		GlobalRank: rank, CategoryRank: rank/40 + 1, CountryRank: rank/12 + 1, LegacyRank: rank * 2, TotalTraffic: visits,
		Referrals: []any{}, Keywords: []any{}, ReferralsDestination: []any{}, UpVisits: number%2 == 0,
		OrganicSearch: int(float64(visits) * organic / 100), Direct: int(float64(visits) * direct / 100),
		OrganicPercent: percent(organic), DirectPercent: percent(direct), ReferralPercent: percent(100 - organic - direct),
	}
	in.Referral = visits - in.OrganicSearch - in.Direct
	in.Technologies = c.technologies()
	in.TopCountryShares = c.topCountries(number)
	c.addMonths(&in, number)
	return in
}

// technologies groups the technologies by their kind.
func (c Company) technologies() []Group {
	groups := []Group{}
	places := map[int]int{}
	for _, id := range c.TechnologyIDs() {
		kind := (id - 1) / len(technologyMakers)
		if _, there := places[kind]; !there {
			places[kind] = len(groups)
			groups = append(groups, Group{ID: 10_000 + kind, Name: technologyKinds[kind], Important: kind < 5})
		}
		group := &groups[places[kind]]
		name := technologyName(id - 1)
		group.List = append(group.List, Technology{
			ID: id, Name: name, ImagePath: fmt.Sprintf("/technologies/%d.png", id),
			Description: name + " does not exist.", Category: technologyKinds[kind],
		})
	}
	return groups
}

func (c Company) topCountries(number int) []CountryShare {
	shares := []CountryShare{}
	left := 100.0
	for i := range 3 {
		country := (c.country + i) % len(countries)
		part := math.Round(left*60) / 100
		left -= part
		shares = append(shares, CountryShare{
			ID: number*3 + i, CountryID: country + 1, SharePercent: part, ShareChange: some(c, 20+uint64(i), 0.5),
			Name: countries[country].Name, TrafficDataID: number,
		})
	}
	return shares
}

// addMonths adds the visits of the last year, month by month.
func (c Company) addMonths(in *Insights, number int) {
	for month := range 12 {
		day := time.Date(lastYear, time.Month(month+1), 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		value := int(float64(in.TotalVisits) * (0.8 + 0.4*c.share(ofVisits, 200, uint64(month))))
		if month == 11 {
			value = in.TotalVisits
		}
		in.Visits = append(in.Visits, Visit{ID: number*12 + month, TrafficDataID: number, Date: day, Value: value})
		in.Graph.Visits.Categories = append(in.Graph.Visits.Categories, day)
		in.Graph.Visits.Data = append(in.Graph.Visits.Data, [2]any{day, value})
		in.Graph.Sources.Organic = append(in.Graph.Sources.Organic, [2]any{day, in.OrganicPercent})
		in.Graph.Sources.Direct = append(in.Graph.Sources.Direct, [2]any{day, in.DirectPercent})
		in.Graph.Sources.Referral = append(in.Graph.Sources.Referral, [2]any{day, in.ReferralPercent})
	}
}
