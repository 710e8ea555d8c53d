// Package readonly reads Cypher texts as far as it takes to see whether they only read.
//
// It is the first of three guards: it needs no server, so a workflow that would write is
// refused when it is loaded. The server judges again by its plan and by the transaction's
// access mode, which no trick of spelling gets past. What a read could do beside reading,
// loading a file or an address, calling procedures and functions that do, is refused by name.
//
// The invariant: of the procedures and functions with a namespace only those in the lists of
// this package are let through.
package readonly
