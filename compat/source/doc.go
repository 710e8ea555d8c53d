// Package source contains what the compilers of foreign workflow files share: the result of
// reading a file (File), its errors with their positions (Faults), and the position of a JSON
// pointer in a text. It does not depend on any format.
package source
