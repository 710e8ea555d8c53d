-- ?1 JSON list of ids. No row for an id means that there is no WORKFLOW; it may have steps.
SELECT id, name, description, settings, extra FROM workflow WHERE id IN (SELECT value FROM json_each(?1));
