-- ?1 JSON list of workflows. No row for one means that it has no paths.
SELECT workflow, id, kind, source, target_workflow, target, properties
FROM path WHERE workflow IN (SELECT value FROM json_each(?1));
