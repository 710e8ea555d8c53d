// Package sorting sorts slices of structs. The compiler writes slices.SortFunc out for each type of
// element, some 30 KB of the binary each; here the sort is compiled once for all of them.
package sorting

import "sort"

// By sorts a list in the order that compare gives. Elements that are equal to compare may be swapped.
func By[T any](list []T, compare func(a, b *T) int) {
	sort.Slice(list, func(i, j int) bool { return compare(&list[i], &list[j]) < 0 })
}

// Stable is By that keeps the order of elements that are equal to compare.
func Stable[T any](list []T, compare func(a, b *T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(&list[i], &list[j]) < 0 })
}
