package flowise

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/models"
)

// refusedConnection matches Go's error for a refused connection.
var refusedConnection = regexp.MustCompile(`dial tcp (\S+?): connect: connection refused`)

// unreadReply matches the error of classify for a reply it cannot parse.
var unreadReply = regexp.MustCompile(`the model's reply ("(?:[^"\\]|\\.)*") holds no JSON`)

// limitReached is the prefix of the engine's error for too many steps.
const limitReached = "max_steps: "

// FailureText returns Flowise's text for a failure: node is the type of the failed node, ""
// for none.
func FailureText(node, message string) string {
	if strings.HasPrefix(message, limitReached) {
		return "Maximum iteration limit reached"
	}
	switch node {
	case kindHTTP:
		if found := refusedConnection.FindStringSubmatch(message); found != nil {
			return "connect ECONNREFUSED " + found[1]
		}
		if cause, ok := strings.CutPrefix(message, "body: the text is not JSON, which body_type says it is: "); ok {
			return "Invalid JSON format in body. Original error: " + cause
		}
	case kindExecuteFlow:
		if strings.Contains(message, "runs inside itself") {
			return "Error: Cannot call the same agentflow!"
		}
	case kindConditionAgent:
		if found := unreadReply.FindStringSubmatch(message); found != nil {
			message = "Failed to parse a valid scenario from the LLM's response. Please check if the model is capable of following JSON output instructions. " +
				`Raw LLM Response: "` + unquoted(found[1]) + `"`
		}
	}
	if prefix := errorPrefix(node); prefix != "" {
		return prefixed(prefix, models.Words(message))
	}
	return message
}

// errorPrefix is what Flowise puts in front of the errors of model nodes.
func errorPrefix(node string) string {
	switch node {
	case kindConditionAgent:
		return "Error in Condition Agent node: "
	case kindLLM:
		return "Error in LLM node: "
	case kindAgent:
		return "Error in Agent node: "
	}
	return ""
}

// unquoted is the text that Go has quoted.
func unquoted(quoted string) string {
	if text, err := strconv.Unquote(quoted); err == nil {
		return text
	}
	return quoted
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

// FaultText returns Flowise's error when a flow with faults is run.
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
