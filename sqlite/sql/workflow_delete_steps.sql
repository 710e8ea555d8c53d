-- ?1 workflow.
DELETE FROM step WHERE workflow = ?1;
