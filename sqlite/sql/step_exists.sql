-- ?1 workflow, ?2 id. No row means that there is no such step.
SELECT 1 FROM step WHERE workflow = ?1 AND id = ?2;
