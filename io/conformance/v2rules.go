// This file has the rules of specification v2, and compares any service with them.
//
// Some rules hold only for a service that was set up for them. Their cases set up a sandbox, call it over HTTP and
// check the answers; they are tests of this package. After every call the counters of the sandbox show what was
// counted.

package conformance

// caseRulesV2 returns the rules that hold only for a service that was set up for them.
func caseRulesV2() []Rule { return ruleTable(caseRuleTableV2) }

// caseRuleTableV2 has a rule in each line.
const caseRuleTableV2 = `
v2-key/valid | Authentication | free and paid operations take the key in the header Authorization: Token
v2-key/missing | Authentication | without a key, free and paid operations are refused and nothing is counted
v2-key/scheme | Authentication | a key with another scheme than Token is refused
v2-key/invalid | Authentication | a key that the service does not know is refused and nothing is counted
v2-key/revoked | Assumptions | a revoked key is refused from then on; other keys of the account are not
v2-key/one-account | Assumptions | all keys of an account use the same counters

v2-error/token | Errors | an invalid token is answered with 401 and an object with a detail
v2-error/invalid-request | Errors | an invalid request is answered with 400 and an object that gives each wrong field its messages
v2-error/internal | Errors | a server error is answered with 500 and an object with a detail
v2-error/limit | Errors | a reached limit is answered with 429, the six members of access, error_guard and message_guard
v2-error/not-found | Assumptions | when nothing is found, the answer is 404 and an object with the detail "Not found." alone
v2-error/unknown-route | Assumptions | the 404 of an address that the service does not have is not that of nothing found
v2-error/too-fast | Assumptions | a call above the rate limit is answered with 429, a detail and Retry-After
v2-error/no-json | Endpoints | a body that is not JSON is refused
v2-error/content-type | Endpoints | a body that is not announced as JSON is refused

v2-units/prospecting | Assumptions | an answered prospecting call uses one unit of companies
v2-units/overview | Assumptions | an answered overview call uses one unit of companies
v2-units/company | Assumptions | an answered company call uses one unit of companies
v2-units/employees | Assumptions | an answered employees call uses one unit of contacts
v2-units/employee | Assumptions | an answered employee call uses one unit of contacts, and what it returns of email and phone
v2-units/watch-start | Assumptions | an answered watch-start call uses one unit of watch
v2-units/enrich-url | Assumptions | an answered enrich-url call uses one unit of companies
v2-units/enrich-company-profile | Assumptions | an answered enrich-company-profile call uses one unit of companies
v2-units/enrich-company | Assumptions | an answered enrich-company call uses one unit of companies
v2-units/enrich-email | Assumptions | an answered enrich-email call uses one unit of contacts, and what it returns of email and phone
v2-units/enrich-employee-profile | Assumptions | an answered enrich-employee-profile call uses one unit of contacts, and what it returns of email and phone
v2-units/enrich-employee | Assumptions | an answered enrich-employee call uses one unit of contacts, and what it returns of email and phone
v2-units/enrich-employee-search | Assumptions | an answered enrich-employee-search call uses one unit of contacts
v2-units/autocomplete | Assumptions | an answered autocomplete call uses one unit of companies
v2-units/financials | Assumptions | an answered financials call uses one unit of financials
v2-units/insights-search | Assumptions | an answered insights-search call uses one unit of digital_insights
v2-units/insights | Assumptions | an answered insights call uses one unit of digital_insights
v2-units/ownership-search | Assumptions | an answered ownership-search call uses one unit of ownership
v2-units/ownership | Assumptions | an answered ownership call uses one unit of ownership
v2-units/twice | Assumptions | a call that is repeated is counted again
v2-units/not-found-free | Assumptions | a call that finds nothing uses nothing
v2-units/refusal-free | Assumptions | an invalid request uses nothing
v2-units/free | Assumptions | metrics and the calls about watched companies use nothing and can be repeated

v2-reveal/default | Enrichment | email and phone are returned when the call does not say whether to reveal them, and each is counted
v2-reveal/email | Enrichment | reveal_phone false leaves the phone out, and it is not counted
v2-reveal/phone | Enrichment | reveal_email false leaves the email out, and it is not counted
v2-reveal/nothing | Enrichment | with both false, neither is returned nor counted
v2-reveal/by-email | Enrichment | an enrichment by email returns the email and can leave out the phone
v2-reveal/missing | Assumptions | an email or phone that is not known is absent or null, and is not counted

v2-metrics/members | Metrics | usage is an array of groups with name, codename and metrics; each metric has name, codename, used and total
v2-metrics/modules | Assumptions | the six modules are there, each once, under their codenames
v2-metrics/others | Metrics | the counters show what others with the account used
v2-metrics/period | Assumptions | when a period ends, the counters begin again at zero and the totals stay
v2-metrics/contacts | Metrics | the counts of emails and phones are those of the time span; both of its ends belong to it
v2-metrics/contacts-required | Metrics | both ends of the time span are required
v2-metrics/contacts-format | Metrics | the ends of the time span have the format yyyy-mm-dd hh:mm:ss

v2-search/prospecting | Prospecting | a page has total_companies, total_pages and data; items have an integer id and a name
v2-search/prospecting-pages | Limits | the tenth page of prospecting is answered and the eleventh is refused
v2-search/employees-pages | Limits | the tenth page of an employee search is answered and the eleventh is refused
v2-search/per-page | Assumptions | a page has 25 results unless the call says otherwise, and at most 25
v2-search/overview-per-page | Limits | a page of the company search has at most 5 results
v2-search/page-default | Company search | without a page the first one is returned
v2-search/pages | Prospecting | two pages have no result in common, and total_pages follows from the total
v2-search/beyond-last | Assumptions | a page after the last one has no results
v2-search/filters-text | Prospecting | filters is a JSON object encoded as a string; an object is refused
v2-search/filters-optional | Prospecting | prospecting needs no filters
v2-search/filters-required | Employees | an employee search needs filters
v2-search/filters-narrow | Prospecting | every filter that is added can only leave results out
v2-search/range | Endpoints | a range has the optional keys gte and lte, and includes its ends
v2-search/location | Prospecting | location filters take composite identifiers of places, as texts
v2-search/overview | Company search | items have id, name, status, country_code and registration_number, all of them strings
v2-search/overview-identifiers | Company search | website, profile URL, registration, VAT and LEI number, phone number, and the name of an employee each find the company
v2-search/overview-country | Company search | country_code leaves out the companies of other countries
v2-search/overview-status | Company search | company_status leaves out the companies with another status
v2-search/employees | Employee search item | an employee search by company returns employees of that company, with id, name, company_id and company_name
v2-search/employees-filters | Employees | every filter of an employee search can only leave employees out
v2-search/people | Employee search item | an enrichment search returns people with their company
v2-search/people-domains | Enrichment | domain_list leaves out the people of other companies
v2-search/people-locations | Enrichment | company_locations and employee_locations leave out the people of other places
v2-search/seniorities | Enrichment | an enrichment search takes the eleven seniorities and refuses others
v2-search/insights-candidates | Digital insights | a search for insights returns an array of companies with id, name, country_code and registration_number
v2-search/ownership-candidates | Ownership | a search for ownership returns an array of companies with id, name, country_code and registration_number
v2-search/one-space-of-ids | Assumptions | the identifiers of all searches and records name the same companies

v2-record/company | Company record | a company record has the members of the specification, with their types
v2-record/company-id | Company record | a company's id is an integer or a string, and both name the same company
v2-record/employee | Employee record | an employee record has the members of the specification, with their types
v2-record/financials | Financial figures | figures are keyed by year; each has its type, and Reported-Date is a date
v2-record/financials-year | Financials | with a year only the figures of that year are returned
v2-record/insights | Digital insights record | an insights record has the members of the specification, with their types
v2-record/ownership | Ownership record | an ownership record has the members of the specification, with their types

v2-enrich/company-ways | Enrichment | website, profile URL, registration number and VAT number lead to the same company
v2-enrich/contact-ways | Enrichment | profile URL, email, and name with company lead to the same contact
v2-enrich/required | Enrichment | each enrichment is refused without its required field, with a message for that field
v2-enrich/state | Enrichment | in the US an enrichment by number needs the state
v2-enrich/wire-name | Enrichment | the two enrichments by profile URL call it linkedin; under another name it is missing
v2-enrich/autocomplete-identifiers | Autocomplete | a country alone is refused, with a message under fields
v2-enrich/insights-identifiers | Digital insights | without a name and a registration number the search is refused, with a message under fields
v2-enrich/ownership-identifiers | Ownership | without a name and a registration number the search is refused, with a message under fields

v2-watch/start | States and transitions | the start of a watch is answered with 201, and the company is then watched
v2-watch/start-again | Assumptions | the start of a watch on a watched company uses nothing more
v2-watch/start-without-fields | Watch | the start of a watch needs no fields
v2-watch/stop | States and transitions | the end of a watch is answered with 200, and its unit is free again
v2-watch/list | Watch | the list of watched companies has data, total_results and pages; items have their members
v2-watch/list-fields | Watch | fields leaves out the companies without a watched field among them
v2-watch/list-date | Watch | date leaves out the companies that are watched since another day
v2-watch/list-pages | Watch | page and per_page choose a part of the list
v2-watch/fields | Watch | the watched fields of a company are an array of names
v2-watch/fields-add | States and transitions | adding fields returns all fields that are then watched
v2-watch/fields-remove | States and transitions | removing fields returns the fields that are then still watched
v2-watch/field-names | Watch subscription | the field names of the specification can be watched and others are refused
v2-watch/event | Events | a change of a watched field is an event with status, message, date_created and event_type
v2-watch/no-event | States and transitions | a change of a field that is not watched is no event
v2-watch/events-order | Assumptions | events are listed with the newest first
v2-watch/events-dates | Assumptions | both days of a list of events belong to it, in UTC
v2-watch/callback | Watch | the callback URL that was set is returned
v2-watch/callback-required | Watch | the callback URL is required, and has to be a URL
v2-watch/notification | Events | a change of a watched field is posted to the callback URL as JSON
v2-watch/notification-repeated | Assumptions | a notification that is not answered with 2xx is sent again

v2-limit/total | Limits | a module whose total is used up refuses its calls with the guard limit; other modules go on
v2-limit/total-raised | Assumptions | when the owner raises the total, the module answers again
v2-limit/daily | Limits | a module whose daily limit is reached refuses its calls with the guard limits.daily; other modules go on
v2-limit/daily-end | Assumptions | a daily limit ends at 00:00 UTC
v2-limit/rate | Assumptions | 60 calls are answered in any 60 seconds
v2-limit/rate-key | Assumptions | each key has its own rate limit
v2-limit/rate-free | Assumptions | free calls do not count in the rate limit

v2-loss/dropped | Assumptions | the connection breaks before the answer; the call arrived once and was not counted
v2-loss/dropped-counted | Assumptions | the connection breaks before the answer; the call arrived once and was counted
v2-loss/truncated | Assumptions | the connection breaks within the answer; the call arrived once and was not counted
v2-loss/truncated-counted | Assumptions | the connection breaks within the answer; the call arrived once and was counted
v2-loss/garbage | Assumptions | the answer is not JSON; the call arrived once and was not counted
v2-loss/garbage-counted | Assumptions | the answer is not JSON; the call arrived once and was counted
v2-loss/proxy-page | Assumptions | a gateway answers with its own page; the call arrived once and was not counted
v2-loss/proxy-page-counted | Assumptions | a gateway answers with its own page; the call arrived once and was counted
v2-loss/no-body | Assumptions | a gateway answers without a body; the call arrived once and was not counted
v2-loss/no-body-counted | Assumptions | a gateway answers without a body; the call arrived once and was counted
v2-loss/gateway-json | Assumptions | a gateway answers with an error in JSON; the call arrived once and was not counted
v2-loss/gateway-json-counted | Assumptions | a gateway answers with an error in JSON; the call arrived once and was counted
v2-loss/gateway-400 | Assumptions | a gateway answers with HTTP 400 and an error in JSON; the call arrived once and was not counted
v2-loss/gateway-400-counted | Assumptions | a gateway answers with HTTP 400 and an error in JSON; the call arrived once and was counted
v2-loss/gateway-404 | Assumptions | a framework answers that it does not know the address; the call arrived once and was not counted
v2-loss/gateway-404-counted | Assumptions | a framework answers that it does not know the address; the call arrived once and was counted
v2-loss/gateway-200 | Assumptions | a gateway answers with HTTP 200 and a warning; the call arrived once and was not counted
v2-loss/gateway-200-counted | Assumptions | a gateway answers with HTTP 200 and a warning; the call arrived once and was counted
v2-loss/byte-order-mark | Assumptions | an answer below a byte order mark is not lost
v2-loss/internal | Errors | a server error leaves open whether the call was counted; it was not
v2-loss/internal-counted | Errors | a server error leaves open whether the call was counted; it was

v2-version/prefix | Versioning | the paths carry the prefix /v2
`
