-- A request, in the order of the columns. A taken key or target is an error.
INSERT INTO request (session, n, key, target, kind, step, visit, ask, body, body_hash, by, at, applied, outcome)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14);
