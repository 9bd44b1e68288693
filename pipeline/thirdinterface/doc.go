// Package thirdinterface holds tests alone. They run an interface that does not exist through the survey, the
// dispatcher, the journal and the output: it has five fields, three meters and no money. Nothing outside
// this package knows it.
package thirdinterface
