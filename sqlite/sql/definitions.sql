-- ?1 JSON list of hashes. No row for one means that it was never saved.
SELECT hash, workflow, step, text, first_seen FROM definition WHERE hash IN (SELECT value FROM json_each(?1));
