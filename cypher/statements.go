package cypher

import (
	"embed"
	"regexp"
	"strings"
)

//go:embed queries/*.cypher
var queryFiles embed.FS

// A statement is one query file: its name, for errors and for SHOW TRANSACTIONS, and its
// text without the comment lines, with every parameter as a member of the one parameter $p.
//
// The size class of a list that is a parameter of its own (1, 10, 100, 1000 rows) is part of
// the key by which the server keeps plans: a statement would be planned anew for each, which
// takes 200 ms and more and shows as a stall of all sessions whose checkpoints are in it. What
// a map contains is not part of the key.
//
// Files that find all they touch by a unique property, or by an index that they name, begin with
// replan=skip: no change of statistics gives them a better plan.
type statement struct {
	name string
	text string
}

// Every query file. A file that is missing stops the program before it begins; a test
// finds unused files.
var (
	queryPing    = load("ping")
	queryEdition = load("edition")
	queryNow     = load("now")

	queryAuditRecord    = load("audit_record")
	queryAuditPage      = load("audit_page")
	queryAuditOfSession = load("audit_of_session")
	queryAuditForget    = load("audit_forget")

	queryWorkflowsLimited = load("workflows_limited")
	queryTurnDue          = load("turn_due")
	queryTurnLanes        = load("turn_lanes")
	queryTurnQueueLanes   = load("turn_queue_lanes")
	queryTurnQueue        = load("turn_queue")
	queryTurnDrop         = load("turn_drop")
	queryTurnLaneLock     = load("turn_lane_lock")
	queryTurnHolders      = load("turn_holders")
	queryTurnOver         = load("turn_over")
	queryTurnNext         = load("turn_next")
	queryTurnGive         = load("turn_give")
	queryTurnLook         = load("turn_look")
	queryTurnLaneDrop     = load("turn_lane_drop")
	queryTurnOf           = load("turn_of")
	queryTurnLanesOf      = load("turn_lanes_of")

	queryEngineAnnounce = load("engine_announce")
	queryEngines        = load("engines")

	querySessionsOldest = load("sessions_oldest")
	queryParents        = load("parents")
	queryRemovalLock    = load("removal_lock")
	queryRemovalInBatch = load("removal_in_batch")
	queryRemovalBegin   = load("removal_begin")
	queryDutyTake       = load("duty_take")

	queryMigrations       = load("migrations")
	queryMigrationsLock   = load("migrations_lock")
	queryMigrationApplied = load("migration_applied")
	queryIndexesAwait     = load("indexes_await")
	queryDuplicates       = load("duplicates")
	queryCheckIndexes     = load("check_indexes")
	queryCheckOrphans     = load("check_orphans")
	queryCheckDeleting    = load("check_deleting")
	queryCountTies        = load("count_ties")

	queryDefinition      = load("definition")
	queryStepsAdopt      = load("steps_adopt")
	queryStepsAdoptAll   = load("steps_adopt_all")
	queryStepsStrays     = load("steps_strays")
	queryWorkflowIDs     = load("workflow_ids")
	queryEditLock        = load("edit_lock")
	queryEditDelete      = load("edit_delete")
	queryEditPut         = load("edit_put")
	queryEditPutSteps    = load("edit_put_steps")
	queryEditPutPaths    = load("edit_put_paths")
	queryEditCreatePaths = load("edit_create_paths")
	queryEditRemoveSteps = load("edit_remove_steps")
	queryEditRemovePaths = load("edit_remove_paths")
	queryTextsSave       = load("texts_save")
	queryTextsByHash     = load("texts_by_hash")
	queryTextsOfStep     = load("texts_of_step")
	queryTextsOfWorkflow = load("texts_of_workflow")

	queryCreate                    = load("create")
	querySessions                  = load("sessions")
	querySessionsLocked            = load("sessions_locked")
	querySessionsNewest            = load("sessions_newest")
	querySessionsOfStatus          = load("sessions_of_status")
	querySessionsOfWorkflowStatus  = load("sessions_of_workflow_status")
	querySessionsWaiting           = load("sessions_waiting")
	querySessionsWaitingOfWorkflow = load("sessions_waiting_of_workflow")
	querySessionsUnadopted         = load("sessions_unadopted")
	querySessionsOfWorkflow        = load("sessions_of_workflow")
	querySessionsOfIDs             = load("sessions_of_ids")
	queryExecutionsRecent          = load("executions_recent")
	querySessionsOfRoot            = load("sessions_of_root")
	querySessionsWaitingOfRoot     = load("sessions_waiting_of_root")
	queryCountOfRoot               = load("count_of_root")
	queryCountQuestionsOfRoot      = load("count_questions_of_root")
	queryCount                     = load("count")
	queryCountWorkflow             = load("count_workflow")
	queryCountAll                  = load("count_all")
	queryCountOfIDs                = load("count_of_ids")
	queryCountQuestionsOfIDs       = load("count_questions_of_ids")
	querySessionsWaitingOfIDs      = load("sessions_waiting_of_ids")
	queryIDsWithLabels             = load("ids_with_labels")
	queryIDsAtStep                 = load("ids_at_step")
	queryIDsAtStepOfWorkflow       = load("ids_at_step_of_workflow")
	queryCountQuestions            = load("count_questions")
	queryCountQuestionsWorkflow    = load("count_questions_workflow")
	queryChildren                  = load("children")
	queryDescendants               = load("descendants")
	queryDeleteBegin               = load("delete_begin")
	queryDeleteExecutions          = load("delete_executions")
	queryDeleteMessages            = load("delete_messages")
	queryDeleteRequests            = load("delete_requests")
	queryDeleteBlobs               = load("delete_blobs")
	queryDeleteResults             = load("delete_results")
	queryDeleteSessions            = load("delete_sessions")
	queryClaimCandidates           = load("claim_candidates")
	queryClaim                     = load("claim")
	queryExtend                    = load("extend")
	queryRelease                   = load("release")
	queryNextDue                   = load("next_due")
	queryWakePending               = load("wake_pending")
	queryPendingWorkflow           = load("pending_workflow")
	queryLock                      = load("lock")
	queryCommit                    = load("commit")
	queryCommitUnwritten           = load("commit_unwritten")
	queryCommitBlobs               = load("commit_blobs")
	queryCommitDropBlobs           = load("commit_drop_blobs")
	queryCommitResults             = load("commit_results")
	queryCommitParents             = load("commit_parents")
	queryDeliverRequests           = load("deliver_requests")
	queryDeliverLook               = load("deliver_look")
	queryCommitReceived            = load("commit_received")
	queryDeliverAhead              = load("deliver_ahead")
	queryDeliverWrite              = load("deliver_write")
	queryRequestOfID               = load("request_of_id")
	queryRequestOfTarget           = load("request_of_target")
	queryRequestLastAnswer         = load("request_last_answer")
	queryRequestsAfter             = load("requests_after")
	queryRequestsForward           = load("requests_forward")
	queryRequestsBackward          = load("requests_backward")
	queryInboxes                   = load("inboxes")

	queryExecutionsForward  = load("executions_forward")
	queryExecutionsBackward = load("executions_backward")
	queryMessagesForward    = load("messages_forward")
	queryMessagesBackward   = load("messages_backward")
	queryBlobs              = load("blobs")
	queryResults            = load("results")

	queryBatchCreate      = load("batch_create")
	queryBatchCollecting  = load("batch_collecting")
	queryBatchItemsPut    = load("batch_items_put")
	queryBatchLocked      = load("batch_locked")
	queryBatchesNewest    = load("batches_newest")
	queryBatchItems       = load("batch_items")
	queryBatchItemsOpen   = load("batch_items_open")
	queryBatchesDue       = load("batches_due")
	queryBatchClaim       = load("batch_claim")
	queryBatchSave        = load("batch_save")
	queryBatchItemsSave   = load("batch_items_save")
	queryBatchStop        = load("batch_stop")
	queryBatchContinue    = load("batch_continue")
	queryBatchDeleteBegin = load("batch_delete_begin")
	queryBatchItemsDelete = load("batch_items_delete")
	queryBatchDelete      = load("batch_delete")
)

// loadedStatements are all that load has read, for the test that looks for unused files.
var loadedStatements []statement

// load reads one query file.
func load(name string) statement {
	b, err := queryFiles.ReadFile("queries/" + name + ".cypher")
	if err != nil {
		panic("cypher: query file " + name + ".cypher is not embedded: " + err.Error())
	}
	s := statement{name: name, text: parameter.ReplaceAllString(withoutComments(string(b)), "$$p.$1")}
	loadedStatements = append(loadedStatements, s)
	return s
}

var parameter = regexp.MustCompile(`\$([a-z_]+)\b`)

// params are the parameters of a statement.
type params = map[string]any

// parameters are the parameters of a statement as it is sent.
func parameters(p params) params { return params{"p": p} }

// withoutComments leaves out the lines that are comments: they are for people, and the
// server would read them with each call.
func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); trimmed != "" && !strings.HasPrefix(trimmed, "//") {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}
