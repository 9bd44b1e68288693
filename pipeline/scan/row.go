// This file reads one row: which column means what, who the row names, which wanted fields it misses, what the
// journal knows of its person, and which status it gets in the output.

package scan
