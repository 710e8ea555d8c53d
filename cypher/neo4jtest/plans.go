package neo4jtest

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// costly are operators whose cost grows with the store, not with the answer, and the
// comment with which the text of a query gives the reason for using one.
var costly = map[string]string{
	"AllNodesScan": scan, "NodeByLabelScan": scan, "UnionNodeByLabelsScan": scan, "IntersectionNodeByLabelsScan": scan,
	"SubtractionNodeByLabelsScan": scan, "DirectedAllRelationshipsScan": scan, "UndirectedAllRelationshipsScan": scan,
	"DirectedRelationshipTypeScan": scan, "UndirectedRelationshipTypeScan": scan, "DirectedUnionRelationshipTypesScan": scan,
	"UndirectedUnionRelationshipTypesScan": scan, "CartesianProduct": multiply,
}

const (
	scan     = "// may scan: "
	multiply = "// may multiply: "
)

// operator finds the operators in the table that the server draws of a plan. (The driver's
// own tree shows only one child of an operator that has two.)
var operator = regexp.MustCompile(`(?m)^\| *[|\\ ]*\+(\w+(?:\([^)]*\))?)`)

// CheckPlan returns an error for a plan that has an operator whose cost grows with the
// store, unless the query's text gives a reason in a comment.
func CheckPlan(plan neo4j.Plan, query string) error {
	drawn, _ := plan.Arguments()["string-representation"].(string)
	found := operator.FindAllStringSubmatch(drawn, -1)
	if len(found) == 0 {
		return fmt.Errorf("no operator found in the plan %v", plan.Arguments())
	}
	for _, m := range found {
		if reason := costly[m[1]]; reason != "" && !strings.Contains(query, reason) {
			return fmt.Errorf("the plan has %s; use an index, or give the reason after %q\n%s", m[1], reason, drawn)
		}
	}
	return nil
}
