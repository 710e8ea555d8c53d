-- ?1 JSON list of workflows. No row for one means that it has no steps.
SELECT workflow, id, properties FROM step WHERE workflow IN (SELECT value FROM json_each(?1));
