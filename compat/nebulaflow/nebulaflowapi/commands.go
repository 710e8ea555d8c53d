package nebulaflowapi

import "context"

// commandTable are the messages of clients, by type. follow_execution and
// bridge:dialog_result besides, the types are those of NebulaFlow's webview.
var commandTable = map[string]func(*conn, context.Context, command) error{
	"execute_workflow": (*conn).executeWorkflow,
	"execute_node":     (*conn).executeNode,
	"llm_node_chat":    (*conn).chat,
	"abort_workflow":   (*conn).abort,
	"pause_workflow":   (*conn).pause,
	"node_approved":    (*conn).approve,
	"node_rejected":    (*conn).reject,
	"follow_execution": (*conn).followExecution,

	"save_workflow":        inLibrary((*library).saveWorkflow),
	"load_workflow":        inLibrary((*library).loadWorkflow),
	"load_last_workflow":   inLibrary((*library).loadLast),
	"bridge:dialog_result": inLibrary((*library).dialogResult),
	"create_subflow":       inLibrary((*library).createSubflow),
	"get_subflow":          inLibrary((*library).getSubflow),
	"get_subflows":         inLibrary((*library).getSubflows),
	"duplicate_subflow":    inLibrary((*library).duplicateSubflow),
	"save_customNode":      inLibrary((*library).saveCustom),
	"delete_customNode":    inLibrary((*library).deleteCustom),
	"rename_customNode":    inLibrary((*library).renameCustom),
	"get_custom_nodes":     inLibrary((*library).getCustom),
	"get_storage_scope":    inLibrary((*library).storageScope),
	"set_storage_scope":    inLibrary((*library).storageScope),
	"toggle_storage_scope": inLibrary((*library).storageScope),
	"get_models":           inLibrary((*library).getModels),
	"calculate_tokens":     inLibrary((*library).calculateTokens),
	"copy_selection":       inLibrary((*library).copySelection),
	"paste_selection":      inLibrary((*library).pasteSelection),
	"open_external_link":   inLibrary((*library).openLink),
	"reset_results":        inLibrary((*library).nothing),
	"clear_workflow":       inLibrary((*library).nothing),
}

func inLibrary(do func(*library, context.Context, command) error) func(*conn, context.Context, command) error {
	return func(c *conn, ctx context.Context, m command) error { return do(c.library, ctx, m) }
}
