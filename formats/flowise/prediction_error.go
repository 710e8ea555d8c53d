package flowise

import (
	"errors"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/formats/source"
)

// refusedConnection is how Go tells of a server that is not there.
var refusedConnection = regexp.MustCompile(`dial tcp (\S+?): connect: connection refused`)

// FailureText is what Flowise says of a node's failure: node is the type of the node.
func FailureText(node, message string) string {
	switch node {
	case kindHTTP:
		if found := refusedConnection.FindStringSubmatch(message); found != nil {
			return "connect ECONNREFUSED " + found[1]
		}
	case kindExecuteFlow:
		if strings.Contains(message, "runs inside itself") {
			return "Error: Cannot call the same agentflow!"
		}
	case kindConditionAgent:
		return prefixed("Error in Condition Agent node: ", message)
	case kindLLM:
		return prefixed("Error in LLM node: ", message)
	case kindAgent:
		return prefixed("Error in Agent node: ", message)
	}
	return message
}

func prefixed(prefix, message string) string {
	if strings.HasPrefix(message, prefix) {
		return message
	}
	return prefix + message
}

// faultTexts are Flowise's words for faults of a flow that it only finds when the flow runs.
var faultTexts = map[string]string{
	"multiple_starts":  "Multiple starting nodes are not allowed",
	"start_input_type": "Start input type not found",
	"missing_tools":    "Error in Agent node: tools is not iterable",
}

// FaultText is what Flowise says when a flow with faults is run.
func FaultText(err error) string {
	var faults *source.Faults
	if !errors.As(err, &faults) || len(faults.List) == 0 {
		return err.Error()
	}
	for _, one := range faults.List {
		if text := faultTexts[one.Code]; text != "" {
			return text
		}
	}
	return faults.List[0].Message
}
