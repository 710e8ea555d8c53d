-- Inbox number and lease of the sessions of a JSON list of ids. ?1 the list.
-- No row for an id means there is no such session.
SELECT id, inbox, lease FROM session WHERE id IN (SELECT value FROM json_each(?1));
