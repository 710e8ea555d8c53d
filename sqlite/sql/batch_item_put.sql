-- Writes an item, in place of the one of its number. ?1 batch, ?2 n, ?3 session, ?4 step,
-- ?5 visit, ?6 ask, ?7 outcome, ?8 error, ?9 response, ?10 would.
INSERT INTO batch_item (batch, n, session, step, visit, ask, outcome, error, response, would)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT (batch, n) DO UPDATE SET session = ?3, step = ?4, visit = ?5, ask = ?6, outcome = ?7, error = ?8, response = ?9, would = ?10;
