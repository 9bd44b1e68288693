// Package conformance holds the rules of specification v1 and compares any service with
// them, a real one as well, at a cost that the caller bounds.
//
// Some rules hold only for a service that was set up for them. Their cases bring a sandbox
// into a situation, ask, and say what has to come of it; they are tests of this package.
// A case is played on a Stage, which is a network and a transport over it; the ledger of
// the sandbox then shows what really arrived and was charged.
package conformance

// Sections of specification v1 that many rules are from.
const (
	accountStatus = "Account status"
	allowances    = "Allowances and rate card"
	errorTable    = "Errors"
	mcpEndpoint   = "MCP endpoint"
)

// caseRulesV1 returns the rules that hold only for a service that was set up for them. The
// cases that try them on the sandbox are tests.
func caseRulesV1() []Rule { return ruleTable(caseRuleTableV1) }

// caseRuleTableV1 has a rule in each line.
const caseRuleTableV1 = `
request/profile-url | What the service does | a profile URL alone names a person
request/name-and-domain | What the service does | first name, last name and a company domain name a person
request/name-and-company | What the service does | first name, last name and a company name name a person
request/profile-included | POST /contacts/enrich | include_profile asks for the profile's data too, whatever fields are wanted, and does not change the charge
request/profile-left-out | POST /contacts/enrich | without include_profile no profile comes back
request/include-one-field | POST /contacts/enrich | an enrich for one field returns and charges that one
request/input-condition | Account status | an operation's input_condition is read together with the endpoint's schema; what does not fulfil it is refused and free
request/two-patterns | What the service does | a profile URL beside a name is refused
request/two-companies | What the service does | a company domain beside a company name is refused
request/no-company | What the service does | a name without a company is refused
request/no-last-name | What the service does | a name without a last name is refused
request/nobody | What the service does | a body that names nobody is refused
request/no-profile | Errors | a profile URL that is none is refused
request/wrong-type | Errors | a member of another type is refused
request/unknown-member | Assumptions | a member that the endpoint does not know is refused
request/flags-left-out | POST /contacts/enrich | include_email and include_phone are set explicitly
request/no-json | Endpoints | a body that is not JSON is refused
request/content-type | Endpoints | a lookup's body is announced as JSON

outcome/both-found | Outcome rules | both requested fields come back: matched, and each is charged; by the free allowance while there is some
outcome/both-found-paid | Outcome rules | both requested fields come back: matched, and each is charged; at the plan's rate when the allowance is used up
outcome/only-email | Outcome rules | the email of both comes back: partial, and only the email is charged; by the free allowance while there is some
outcome/only-email-paid | Outcome rules | the email of both comes back: partial, and only the email is charged; at the plan's rate when the allowance is used up
outcome/only-phone | Outcome rules | the phone of both comes back: partial, and only the phone is charged; by the free allowance while there is some
outcome/only-phone-paid | Outcome rules | the phone of both comes back: partial, and only the phone is charged; at the plan's rate when the allowance is used up
outcome/person-only | Outcome rules | the person is identified and nothing requested comes back: partial with the name alone, and nothing is charged; by the free allowance while there is some
outcome/person-only-paid | Outcome rules | the person is identified and nothing requested comes back: partial with the name alone, and nothing is charged; at the plan's rate when the allowance is used up
outcome/nobody | Outcome rules | no person is found: not_found without data, and nothing is charged; by the free allowance while there is some
outcome/nobody-paid | Outcome rules | no person is found: not_found without data, and nothing is charged; at the plan's rate when the allowance is used up
outcome/email-found | Outcome rules | the work email comes back: matched, and it is charged; by the free allowance while there is some
outcome/email-found-paid | Outcome rules | the work email comes back: matched, and it is charged; at the plan's rate when the allowance is used up
outcome/email-missing | Outcome rules | the person is identified without a work email: partial, and nothing is charged; by the free allowance while there is some
outcome/email-missing-paid | Outcome rules | the person is identified without a work email: partial, and nothing is charged; at the plan's rate when the allowance is used up
outcome/email-nobody | Outcome rules | no person is found by find-work-email: nothing is charged; by the free allowance while there is some
outcome/email-nobody-paid | Outcome rules | no person is found by find-work-email: nothing is charged; at the plan's rate when the allowance is used up
outcome/phone-found | Outcome rules | the business phone comes back with its type: matched, and it is charged; by the free allowance while there is some
outcome/phone-found-paid | Outcome rules | the business phone comes back with its type: matched, and it is charged; at the plan's rate when the allowance is used up
outcome/phone-missing | Outcome rules | the person is identified without a business phone: partial, and nothing is charged; by the free allowance while there is some
outcome/phone-missing-paid | Outcome rules | the person is identified without a business phone: partial, and nothing is charged; at the plan's rate when the allowance is used up
outcome/phone-nobody | Outcome rules | no person is found by find-phone: nothing is charged; by the free allowance while there is some
outcome/phone-nobody-paid | Outcome rules | no person is found by find-phone: nothing is charged; at the plan's rate when the allowance is used up

allowance/start | Allowances and rate card | an account starts with 20 free work emails and 5 free business phones
allowance/per-field | Allowances and rate card | the allowance is per returned field, not per call: one call can use a unit of one and pay for the other
allowance/missing-keeps | Allowances and rate card | a requested field that is missing uses none of the allowance
allowance/all-then-paid | Allowances and rate card | every free unit is used before money is
allowance/asked-twice-charged-twice | What the service does | a repeated lookup is charged again: there is no idempotency
allowance/kept-at-purchase | Allowances and rate card | free results unused at a purchase are kept and used first
allowance/no-card | Allowances and rate card | the free allowance can be used without any payment
allowance/others | What the service does | the allowance is the workspace's: what somebody else uses is gone

rate/payg | Allowances and rate card | pay as you go: 0.15 an email, 0.25 a phone, out of prepaid credit
rate/core | Allowances and rate card | Core: 0.15 an email, 0.25 a phone
rate/growth | Allowances and rate card | Growth: 0.12 an email, 0.20 a phone
rate/scale | Allowances and rate card | Scale: 0.09 an email, 0.16 a phone

balance/included-first | Allowances and rate card | the included balance is used before prepaid credit
balance/split | Allowances and rate card | what the included balance does not cover is taken from prepaid credit
balance/expires | Allowances and rate card | the included balance expires at renewal and is granted again; prepaid credit carries forward
balance/not-before-renewal | Allowances and rate card | until the renewal the included balance stays
balance/reserved-out | Account status | balance, allowance and budget are shown after reservations
balance/exact | Errors | a lookup that the balance just covers is answered

billing/minimum-deposit | Allowances and rate card | prepaid credit is bought for 25.00 or more
billing/unconfirmed | Allowances and rate card | a checkout alone moves nothing; the confirmation does, in the same workspace and for the keys there are
billing/large-deposit | Allowances and rate card | a large deposit does not lower the rates
billing/subscription-ends | Allowances and rate card | when a subscription ends its included balance is gone, and prepaid credit is used at the standard rates
billing/subscribe | Allowances and rate card | a subscription brings its included balance and its rates
billing/no-top-up | Allowances and rate card | nothing is bought by itself: neither a lookup nor a status call tops up

account/members | Account status | the status shows the key, the allowance, the balance, the budget, the readiness and the operations, under the names that are assumed
account/free | GET /account/status | the status is free, runs no lookup and buys nothing, however often it is read
account/when-exhausted | GET /account/status | the status can be read when everything is used up
account/one-workspace | What the service does | REST and MCP show and use one account
account/follows-usage | Account status | the status shows what lookups, and others in the workspace, have used
account/no-reservation | Account status | the status is a snapshot and reserves nothing: what it showed can be gone at the lookup

readiness/free | Account status | while a field is free its lookup costs at most nothing
readiness/partly-free | Account status | the most that both can cost counts what of either is free
readiness/paid | Account status | without an allowance a lookup costs at most its rates
readiness/free-exhausted | Account status | readiness names free_allowance_exhausted where nothing was ever bought
readiness/credits | Account status | readiness names credits_exhausted where the balance does not cover the lookup
readiness/budget | Account status | readiness names usage_budget_reached where the budget does not cover the lookup
readiness/one-kind | Account status | readiness tells email, phone and both apart
readiness/no-price | Account status | an operation without a price is not on the plan, cannot be called, and has no maximum
readiness/inactive | Account status | an inactive workspace still shows its status, and that nothing can be called
readiness/attempts | Account status | readiness names the attempt limit

key/valid | Authentication | a key of the workspace opens status and lookups, without a session of any other kind
key/invalid | Authentication | an invalid key is refused with 401, by the status and by lookups, and nothing is charged
key/revoked | States and transitions | a key that the owner revoked is refused with 401; the others go on
key/expired | States and transitions | a key that expired is refused with 401, from that moment on
key/legacy | Workspace key | a legacy key without a workspace is valid and cannot show a balance
key/shown-once | Workspace key | a key's value is shown at its creation and cannot be had again

workspace/inactive | Authentication | an inactive workspace refuses lookups with 403
workspace/restricted | Authentication | restricted access is refused with 403, by the status too

rest/key-needed | Authentication | status and lookups without a bearer key are refused with 401
rest/prefix | Versioning | the paths carry the prefix of their version
rest/methods | Endpoints | the status is read, and lookups are posted
rest/three-lookups | Operation choice | each lookup has its path

key/no-administration | Workspace key | a workspace key gives access to data alone: it can neither buy nor administer

mcp/sequence | MCP endpoint | initialize answers with the negotiated version, and the notification after it with 202
mcp/other-version | Versioning | the version is negotiated at initialize: whatever a client offers, the one implemented mode is answered
mcp/discovery | MCP endpoint | tools/list names the free status tool and the data tools, with access and pricing, and performs no lookup
mcp/status-tool | MCP endpoint | the status tool takes no arguments, is free, and gives the status object
mcp/data-tools | MCP endpoint | a data tool takes the body of its REST operation and gives its result
mcp/session-reopened | MCP endpoint | when the service has ended a session, the lookup in it is refused without a charge, and the next one begins a new session
mcp/key-needed | MCP endpoint | every message carries the key, the first one too
mcp/version-needed | MCP endpoint | after initialization every message carries the negotiated version
mcp/failed-tool | Errors | a failed data tool says so, with the code, the HTTP status, whether to retry and the request ID beside the result
mcp/protocol-error | Errors | a tool that there is none of is a JSON-RPC error; what is not a call of the interface is refused; nothing is looked up
mcp/restricted-tool | Errors | the status tool fails as the data tools do

error/invalid-identifiers | Errors | identifiers that name nobody are refused with 400, and that lookup alone is at fault
error/no-price | Errors | an operation without a price is refused with 400, and credit cannot enable it
error/free-exhausted | Errors | without a purchase, a field whose allowance is used up is refused with 402; the other field goes on
error/credits-exhausted | Errors | without the credit for all that is asked, a lookup is refused with 402; added credit, once confirmed, enables it
error/conflict | Errors | where only the reservations of others stand in the way, 409 says that it can be tried again
error/rate-limited-without-wait | Errors | 429 may come without Retry-After
error/rate-limited-date | Errors | Retry-After may be a date
error/unavailable-with-wait | Errors | a passing failure may say when to come again
error/unavailable | Errors | a temporary failure is a 5xx that can be tried again; nothing is charged, and the lookup can be sent again afterwards
error/misconfigured | Errors | a failure of the configuration is a 5xx that cannot be tried again; nothing is charged, and the lookup can be sent again afterwards
error/conflict-forced | Errors | 409 and its code say that it can be tried again; nothing is charged, and the lookup can be sent again afterwards
error/inactive | Errors | 403 of an inactive workspace is final; nothing is charged, and the lookup can be sent again afterwards
error/restricted | Errors | 403 of restricted access is final; nothing is charged, and the lookup can be sent again afterwards
error/budget-forced | Errors | 402 of the budget is final; nothing is charged, and the lookup can be sent again afterwards

limit/thirty-a-minute | Limits | 30 lookups in 60 seconds are let in, the next one is refused with 429 and told when to come
limit/rolling | Limits | the window rolls: a place is free 60 seconds after its own lookup, and not with a round minute
limit/refused-takes-no-place | Limits | a lookup that the limit refuses does not make the wait longer
limit/status-is-free | Limits | status calls do not count, and are answered when the limit is reached
limit/discovery-is-free | Limits | neither the document nor the list of tools counts
limit/shared | Limits | REST and MCP lookups count in one window
limit/every-lookup | Limits | the three lookups count in one window, whatever comes of them
limit/attempts | Limits | beyond the attempt limit of the usage period lookups are refused until the next one, and no wait is named
limit/door | Assumptions | a lookup with an invalid key takes no place

budget/none | Limits | a budget of null means no cap
budget/zero | Limits | a budget of zero permits no paid usage; what is free goes on
budget/reached | Limits | a lookup that would exceed the budget is refused; a top-up does not change that, a raised budget does
budget/paid-only | Limits | free results and missing fields do not count towards the budget
budget/reset | Limits | the budget is reset each month, by UTC
budget/others | Limits | what others in the workspace spend counts towards the budget

loss/dropped | Limits | the connection breaks without a byte; the lookup was not charged, is in doubt, and is not sent again
loss/dropped-charged | Limits | the connection breaks without a byte; the lookup was charged, is in doubt, and is not sent again
loss/truncated | Limits | the response breaks off in the middle, a stream too; the lookup was not charged, is in doubt, and is not sent again
loss/truncated-charged | Limits | the response breaks off in the middle, a stream too; the lookup was charged, is in doubt, and is not sent again
loss/garbage | Limits | the body of a 200 is not JSON; the lookup was not charged, is in doubt, and is not sent again
loss/garbage-charged | Limits | the body of a 200 is not JSON; the lookup was charged, is in doubt, and is not sent again
loss/hanging | Limits | no response comes within the client's time-out; the lookup was not charged, is in doubt, and is not sent again
loss/hanging-charged | Limits | no response comes within the client's time-out; the lookup was charged, is in doubt, and is not sent again
loss/proxy-page | Limits | a gateway answers with a page; the lookup was not charged, is in doubt, and is not sent again
loss/proxy-page-charged | Limits | a gateway answers with a page; the lookup was charged, is in doubt, and is not sent again
loss/no-body | Limits | a gateway answers without a body; the lookup was not charged, is in doubt, and is not sent again
loss/no-body-charged | Limits | a gateway answers without a body; the lookup was charged, is in doubt, and is not sent again

published/no-key | Assumptions | the OpenAPI document can be read without a key
published/rate-card | Versioning | the document publishes the rate card, with every option and its monthly included balance
published/schemas | Versioning | the document defines the requests of the three lookups, under the names that are assumed
published/tools | MCP endpoint | the tools define the same requests as the operations
published/pricing | Versioning | document and tools publish the prices and the access that are in force now
`

// checkV1 is a rule that can be tried on a service that was not set up for it.
type checkV1 struct {
	Rule
	look func(e *evidenceV1) View
}
