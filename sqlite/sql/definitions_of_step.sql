-- What a step has been, oldest first. ?1 workflow, ?2 step, empty for all steps.
SELECT hash, workflow, step, text, first_seen FROM definition
WHERE workflow = ?1 AND (?2 = '' OR step = ?2)
ORDER BY first_seen, hash;
