-- Numbers of workflows that change with every change of them. ?1 a JSON list of ids.
SELECT workflow, n FROM workflow_version WHERE workflow IN (SELECT value FROM json_each(?1));
