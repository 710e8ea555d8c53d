-- The earliest due_at of all. NULL means that nothing is due ever.
SELECT min(due_at) FROM session WHERE due_at IS NOT NULL;
