// Package graphql asks GraphQL endpoints.
//
// A query is program text: references in it become literals of GraphQL, written by an encoder
// of ours, so that what a person or a model said can be a value and never a field. Variables
// would need a type, which only the server's schema knows; whoever wants one declares it and
// gives its value in variables.
//
// The invariant: as for HTTP requests, there is an output of bounded size in bounded time,
// and neither it nor an error shows a secret.
package graphql
