package branch_test

import (
	"fmt"
	"testing"

	"github.com/stepgraph/stepgraph/functions/internal/branch"
)

func TestMap(t *testing.T) {
	for _, test := range []struct {
		names       []string
		chosen      int
		all, byName string
	}{
		{[]string{"yes", "no"}, 1, "map[0:false 1:true no:true yes:false]", "map[]"},
		{[]string{"", "a", "a", ""}, 2, "map[0:false 1:false 2:true 3:false a:true]", "map[]"},
		{[]string{"1", "2", "3"}, 1, "map[0:false 1:true 2:false 3:false]", "map[1:false 2:true 3:false]"},
		{[]string{"1", "0"}, 0, "map[0:true 1:false]", "map[0:false 1:true]"},
		{[]string{"0", "0"}, 1, "map[0:false 1:true]", "map[0:true]"},
		{[]string{"0", "01", "-1", "7"}, 0, "map[-1:false 0:true 01:false 1:false 2:false 3:false 7:false]", "map[]"},
	} {
		all, byName := branch.Map(test.names, test.chosen)
		if got := fmt.Sprint(all); got != test.all {
			t.Errorf("%q, %d: %s, want %s", test.names, test.chosen, got, test.all)
		}
		if got := fmt.Sprint(byName); got != test.byName || (byName == nil) != (branch.Doubtful(test.names) == "") {
			t.Errorf("%q, %d: by name %s, want %s", test.names, test.chosen, got, test.byName)
		}
	}
}
