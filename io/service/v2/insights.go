package v2

import (
	"encoding/json"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service"
)

// Insights is a digital insights record (specification v2, "Digital insights record").
type Insights struct {
	ID                                           cost.Optional[string]
	Domain, DomainName, RedirectURL, IconURL     cost.Optional[string]
	Nameservers, IP, ISPName, ISPCountry, Raw    cost.Optional[string]
	MXList                                       []string
	ContactName, ContactOrganization             cost.Optional[string]
	ContactEmail, ContactPhone                   cost.Optional[string]
	ContactStreet, ContactCity, ContactPostal    cost.Optional[string]
	ContactState, ContactCountry                 cost.Optional[string]
	Expires, Created, TrafficDate, DomainCreated cost.Optional[time.Time]

	BounceRate, PageViews                                   cost.Optional[float64]
	TimeOnSite                                              cost.Optional[string]
	TotalVisits, TotalTraffic                               cost.Optional[int64]
	VisitsChange                                            cost.Optional[float64]
	GlobalRankChange, CategoryRankChange, CountryRankChange cost.Optional[float64]
	GlobalRank, CategoryRank, CountryRank, LegacyRank       cost.Optional[int64]
	OrganicSearch, Direct, Referral                         cost.Optional[int64]
	OrganicSearchPercent, DirectPercent, ReferralPercent    cost.Optional[float64]
	TopCountries                                            []CountryShare
	Referrals, Keywords, ReferralDestinations               []string // texts, or JSON
	Visits                                                  []Visits
	Technologies                                            []TechnologyGroup
	Graph                                                   Graph
	UpVisits                                                cost.Optional[bool]

	enrich.CellProblems
}

func insights(m *members, i *Insights) {
	m.text("id", &i.ID)
	m.text("domain", &i.Domain)
	m.text("domain_name", &i.DomainName)
	m.text("nameservers", &i.Nameservers)
	m.text("ip", &i.IP)
	m.text("isp_name", &i.ISPName)
	m.text("isp_country", &i.ISPCountry)
	m.text("raw", &i.Raw)
	m.text("redirect_url", &i.RedirectURL)
	m.text("icon_url", &i.IconURL)
	m.texts("mx_list", &i.MXList)
	m.text("contact_city", &i.ContactCity)
	m.text("contact_country", &i.ContactCountry)
	m.text("contact_email", &i.ContactEmail)
	m.text("contact_name", &i.ContactName)
	m.text("contact_phone", &i.ContactPhone)
	m.text("contact_postalcode", &i.ContactPostal)
	m.text("contact_state", &i.ContactState)
	m.text("contact_street", &i.ContactStreet)
	m.text("contact_organization", &i.ContactOrganization)
	m.dateTime("expiration_date", &i.Expires)
	m.dateTime("created_at", &i.Created)
	m.dateTime("traffic_date", &i.TrafficDate)
	m.date("domain_creation_date", &i.DomainCreated)
	traffic(m, i)
	m.values("referrals", &i.Referrals)
	m.values("keywords", &i.Keywords)
	m.values("referrals_destination", &i.ReferralDestinations)
	records(m, "top_country_shares", &i.TopCountries, countryShare)
	records(m, "visits", &i.Visits, visits)
	records(m, "technologies", &i.Technologies, technologyGroup)
	record(m, "graph", &i.Graph, graph)
	m.flag("up_visits", &i.UpVisits)
}

// traffic describes the figures about visits.
func traffic(m *members, i *Insights) {
	m.number("engagement_bounce_rate", &i.BounceRate)
	m.number("engagement_page_views", &i.PageViews)
	m.text("engagement_time_on_site", &i.TimeOnSite)
	m.integer("engagement_total_visits", &i.TotalVisits)
	m.number("engagement_total_relative_change", &i.VisitsChange)
	m.number("global_rank_change", &i.GlobalRankChange)
	m.number("category_rank_change", &i.CategoryRankChange)
	m.number("country_rank_change", &i.CountryRankChange)
	m.integer("global_rank", &i.GlobalRank)
	m.integer("category_rank", &i.CategoryRank)
	m.integer("country_rank", &i.CountryRank)
	m.integer("legacy_rank", &i.LegacyRank)
	m.integer("total_traffic", &i.TotalTraffic)
	m.integer("stat_organic_search", &i.OrganicSearch)
	m.integer("stat_direct", &i.Direct)
	m.integer("stat_referral", &i.Referral)
	m.number("stat_organic_search_percent", &i.OrganicSearchPercent)
	m.number("stat_direct_percent", &i.DirectPercent)
	m.number("stat_referral_percent", &i.ReferralPercent)
}

// CountryShare is the share of a country in the visits.
type CountryShare struct {
	ID, CountryID, Name, TrafficDataID cost.Optional[string]
	SharePercent, ShareChange          cost.Optional[float64]
}

func countryShare(m *members, s *CountryShare) {
	m.text("id", &s.ID)
	m.text("traffic_country_id", &s.CountryID)
	m.text("name", &s.Name)
	m.number("share_percent", &s.SharePercent)
	m.number("share_change", &s.ShareChange)
	m.text("traffic_data_id", &s.TrafficDataID)
}

// Visits are the visits of a month.
type Visits struct {
	ID, TrafficDataID cost.Optional[string]
	Date              cost.Optional[time.Time]
	Value             cost.Optional[int64]
}

func visits(m *members, v *Visits) {
	m.text("id", &v.ID)
	m.text("traffic_data_id", &v.TrafficDataID)
	m.date("date_value", &v.Date)
	m.integer("value", &v.Value)
}

// TechnologyGroup is a group of technologies that a website uses.
type TechnologyGroup struct {
	ID, Name, ParentID cost.Optional[string]
	Important          cost.Optional[bool]
	List               []Technology
}

func technologyGroup(m *members, g *TechnologyGroup) {
	m.text("id", &g.ID)
	m.text("name", &g.Name)
	m.text("parent_id", &g.ParentID)
	m.flag("important", &g.Important)
	records(m, "list", &g.List, technology)
}

// Technology is a technology that a website uses.
type Technology struct{ ID, Name, ImagePath, Description, Category cost.Optional[string] }

func technology(m *members, t *Technology) {
	m.text("id", &t.ID)
	m.text("name", &t.Name)
	m.text("image_path", &t.ImagePath)
	m.text("description", &t.Description)
	m.text("category", &t.Category)
}

// Graph has the visits and their sources over time.
type Graph struct {
	Categories                        []string
	Visits, Organic, Direct, Referral []Point
}

// Point is a value at a date, as the service writes it.
type Point struct {
	Date  string
	Value cost.Optional[float64]
}

func graph(m *members, g *Graph) {
	record(m, "visits", g, func(m *members, g *Graph) {
		m.values("categories", &g.Categories)
		points(m, "data", &g.Visits)
	})
	record(m, "sources", g, func(m *members, g *Graph) {
		points(m, "organic", &g.Organic)
		points(m, "direct", &g.Direct)
		points(m, "referral", &g.Referral)
	})
}

// graphPoint is a point of a series of a graph.
type graphPoint struct {
	series string
	Point
}

func graphRow(m *members, p *graphPoint) {
	series, date := cost.Known(p.series), cost.Known(p.Date)
	m.text("series", &series)
	m.text("date", &date)
	m.number("value", &p.Value)
}

// each calls visit for every point, in the order of the series. The categories of the visits are labels of their dates.
func (g Graph) each(visit func(graphPoint)) {
	for _, series := range []struct {
		name   string
		points []Point
	}{{"visits", g.Visits}, {"organic", g.Organic}, {"direct", g.Direct}, {"referral", g.Referral}} {
		for _, point := range series.points {
			visit(graphPoint{series.name, point})
		}
	}
}

// points describes a list of pairs of a date and a number.
func points(m *members, name string, into *[]Point) {
	raw, there := m.raw(name)
	if !there {
		return
	}
	*into = eachElement(m, name, raw, "a list", func(path func() string, element json.RawMessage) (Point, bool) {
		pair := make([]json.RawMessage, 0, 2)
		isList := service.EachElement(element, func(part []byte) bool {
			pair = append(pair, part)
			return true
		})
		if !isList || len(pair) != 2 {
			m.problems.Add(path(), "a pair of a date and a number")
			return Point{}, false
		}
		p := Point{Date: plainValue(pair[0])}
		if string(pair[1]) == "null" {
			return p, true
		}
		value, ok := parseNumber(pair[1])
		if !ok {
			m.problems.Add(path()+"[1]", enrich.NumberCell.String())
			return p, true
		}
		p.Value = cost.Known(value)
		return p, true
	})
}

// technologyColumns returns the columns of a technology, with those of its group.
func technologyColumns() []enrich.TableColumn { return columnsOf(technologyRow) }

// eachTechnology calls visit for every technology. A group without technologies has one without a name.
func (i *Insights) eachTechnology(visit func(technologyOf)) {
	for _, group := range i.Technologies {
		list := group.List
		if len(list) == 0 {
			list = []Technology{{}}
		}
		for _, one := range list {
			visit(technologyOf{one, group})
		}
	}
}

// technologyOf is a technology with its group.
type technologyOf struct {
	Technology
	group TechnologyGroup
}

func technologyRow(m *members, t *technologyOf) {
	technology(m, &t.Technology)
	m.text("group_id", &t.group.ID)
	m.text("group_name", &t.group.Name)
	m.text("group_parent_id", &t.group.ParentID)
	m.flag("group_important", &t.group.Important)
}

// visitsColumns returns the columns of the visits of a month.
func visitsColumns() []enrich.TableColumn { return columnsOf(visits) }

// Cells returns the values of the visits, in the order of visitsColumns.
func (v Visits) Cells() []enrich.Cell { return cellsOf(v, visits) }

// decodeInsights reads a digital insights record. An error says that the body is none.
func decodeInsights(body []byte) (Insights, error) {
	var problems enrich.CellProblems
	i, err := decode(body, insightsRecord, &problems, insights)
	i.CellProblems = problems
	return i, err
}

// decodeInsightsOutline is decodeInsights without what the lists have.
func decodeInsightsOutline(body []byte) (Insights, error) {
	var problems enrich.CellProblems
	i, err := decodeOutline(body, insightsRecord, &problems, insights)
	i.CellProblems = problems
	return i, err
}

// insightsColumns returns the columns of an insights record, without its lists of records.
func insightsColumns() []enrich.TableColumn { return columnsOf(insights) }

// Cells returns the values of the record, in the order of insightsColumns.
func (i Insights) Cells() []enrich.Cell { return cellsOf(i, insights) }
