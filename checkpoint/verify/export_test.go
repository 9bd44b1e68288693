package verify

// CheckInParts is Check with a limit on the facts in memory.
var CheckInParts = check
