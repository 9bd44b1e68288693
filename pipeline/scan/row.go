// This file says what a row of a list is to the program: which column means what, who the
// row names, which wanted fields it misses, what the journal knows of its person, and which
// status it gets in the output. Everything that reads or reports rows depends on it.

package scan
