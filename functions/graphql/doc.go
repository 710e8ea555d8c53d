// Package graphql implements the function graphql, which sends queries to GraphQL endpoints.
//
// A query is program text. References in it become GraphQL literals, written by an encoder, so
// that an answer or a model text can be a value but never a field. Converting them to
// variables would need their types, which only the server's schema has; an author can declare
// variables and supply their values in the input variables.
//
// Invariant: as for HTTP requests, the step gets an output of bounded size within a bounded
// time, and neither it nor an error contains a secret.
package graphql
