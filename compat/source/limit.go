package source

// MostNodes and MostEdges are how large a drawing of another system may be. People draw some
// hundred nodes at most; what is larger was made to be a burden, or by a program, which
// writes our own formats.
const (
	MostNodes = 5_000
	MostEdges = 20_000
)

// CheckSize adds a fault for a drawing that is too large and tells whether it is small
// enough. at is the JSON pointer of the object that holds nodes and edges.
func (f *Faults) CheckSize(at string, nodes, edges int) bool {
	for _, part := range []struct {
		name      string
		has, most int
	}{{"nodes", nodes, MostNodes}, {"edges", edges, MostEdges}} {
		if part.has > part.most {
			f.Add(at+"/"+part.name, "too_large", "there are %d %s, more than the %d that are read from such a file", part.has, part.name, part.most)
		}
	}
	return len(f.List) == 0
}
