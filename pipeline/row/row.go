// Package row says what a row of a list is to the program: which column means what, who the
// row names, which wanted fields it misses, what the journal knows of its person, and which
// status it gets in the output. Everything that reads rows or tells of them rests on it.
package row
