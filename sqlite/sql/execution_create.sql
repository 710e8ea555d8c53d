-- One ended attempt, in the order of the columns. A taken (session, seq) is an error.
INSERT INTO execution (session, seq, workflow, step, visit, attempt, status, function, started_at, finished_at,
  definition, parent, usage, error, paths, input, output, lineage)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18);
