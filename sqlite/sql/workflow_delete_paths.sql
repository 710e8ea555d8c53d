-- All paths from or to the steps of a workflow. ?1 workflow.
DELETE FROM path WHERE workflow = ?1 OR target_workflow = ?1;
