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

	"save_workflow":        (*conn).saveWorkflow,
	"load_workflow":        (*conn).loadWorkflow,
	"load_last_workflow":   (*conn).loadLast,
	"bridge:dialog_result": (*conn).dialogResult,
	"create_subflow":       (*conn).createSubflow,
	"get_subflow":          (*conn).getSubflow,
	"get_subflows":         (*conn).getSubflows,
	"duplicate_subflow":    (*conn).duplicateSubflow,
	"save_customNode":      (*conn).saveCustom,
	"delete_customNode":    (*conn).deleteCustom,
	"rename_customNode":    (*conn).renameCustom,
	"get_custom_nodes":     (*conn).getCustom,
	"get_storage_scope":    (*conn).storageScope,
	"set_storage_scope":    (*conn).storageScope,
	"toggle_storage_scope": (*conn).storageScope,
	"get_models":           (*conn).getModels,
	"calculate_tokens":     (*conn).calculateTokens,
	"copy_selection":       (*conn).copySelection,
	"paste_selection":      (*conn).pasteSelection,
	"open_external_link":   (*conn).openLink,
	"reset_results":        (*conn).nothing,
	"clear_workflow":       (*conn).nothing,
}
