-- ?1 workflow, ?2 path.
DELETE FROM path WHERE workflow = ?1 AND id = ?2;
