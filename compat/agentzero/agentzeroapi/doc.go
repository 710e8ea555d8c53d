// Package agentzeroapi answers the HTTP calls of Agent Zero's flow editor: POST
// /api/flow_list, flow_load, flow_save, flow_delete, flow_execute, flow_status, flow_stop,
// flow_template_list, flow_group_remove and agents, and GET /api/flow_list and agents. Answers
// contain the fields of the design and those of the public implementation at once. Flows are
// workflows, runs are sessions; docs/formats/agentzero.md has the decisions.
package agentzeroapi
