// Package goldentest has the tests that compare reports with their golden files.
package goldentest
