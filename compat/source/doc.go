// Package source holds what the compilers of foreign workflow files share: what a file
// gave (File), what is wrong with it and where (Faults), and the place of a JSON pointer
// in a text. It knows no format.
package source
