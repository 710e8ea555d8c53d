package compat

import "context"

// nebulaCommands are the messages of clients, by type. follow_execution and
// bridge:dialog_result besides, the types are those of NebulaFlow's webview.
var nebulaCommands = map[string]func(*nebulaConn, context.Context, nebulaCommand) error{
	"execute_workflow": (*nebulaConn).executeWorkflow,
	"execute_node":     (*nebulaConn).executeNode,
	"llm_node_chat":    (*nebulaConn).chat,
	"abort_workflow":   (*nebulaConn).abort,
	"pause_workflow":   (*nebulaConn).pause,
	"node_approved":    (*nebulaConn).approve,
	"node_rejected":    (*nebulaConn).reject,
	"follow_execution": (*nebulaConn).followExecution,

	"save_workflow":        (*nebulaConn).saveWorkflow,
	"load_workflow":        (*nebulaConn).loadWorkflow,
	"load_last_workflow":   (*nebulaConn).loadLast,
	"bridge:dialog_result": (*nebulaConn).dialogResult,
	"create_subflow":       (*nebulaConn).createSubflow,
	"get_subflow":          (*nebulaConn).getSubflow,
	"get_subflows":         (*nebulaConn).getSubflows,
	"duplicate_subflow":    (*nebulaConn).duplicateSubflow,
	"save_customNode":      (*nebulaConn).saveCustom,
	"delete_customNode":    (*nebulaConn).deleteCustom,
	"rename_customNode":    (*nebulaConn).renameCustom,
	"get_custom_nodes":     (*nebulaConn).getCustom,
	"get_storage_scope":    (*nebulaConn).storageScope,
	"set_storage_scope":    (*nebulaConn).storageScope,
	"toggle_storage_scope": (*nebulaConn).storageScope,
	"get_models":           (*nebulaConn).getModels,
	"calculate_tokens":     (*nebulaConn).calculateTokens,
	"copy_selection":       (*nebulaConn).copySelection,
	"paste_selection":      (*nebulaConn).pasteSelection,
	"open_external_link":   (*nebulaConn).openLink,
	"reset_results":        (*nebulaConn).nothing,
	"clear_workflow":       (*nebulaConn).nothing,
}
