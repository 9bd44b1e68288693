// Package provider has what the program knows of the interfaces of the service: which fields each has, what a
// run asks of which interface, and the accounts with their prices, ceilings, limits and evidence.
package provider
