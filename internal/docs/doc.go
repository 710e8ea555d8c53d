// Package docs contains tests only. They run the Cypher queries, the examples and the function pages
// of the folder docs, and compare the results with what the pages show.
package docs
