// Package agentzeroapi implements the HTTP API of Agent Zero's flow editor: POST
// /api/flow_list, flow_load, flow_save, flow_delete, flow_execute, flow_status, flow_stop,
// flow_template_list, flow_group_remove and agents, and GET /api/flow_list and agents.
// Responses contain the fields of the design document and those of the public implementation.
// A flow is a workflow, a run is a session. docs/formats/agentzero.md lists the decisions.
package agentzeroapi
