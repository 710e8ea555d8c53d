-- All workflows, with or without a WORKFLOW, and how many steps they have.
WITH counted (id, steps) AS (SELECT workflow, count(*) FROM step GROUP BY workflow)
SELECT id, name, description, ifnull(steps, 0) FROM workflow LEFT JOIN counted USING (id)
UNION ALL
SELECT id, '', '', steps FROM counted WHERE id NOT IN (SELECT id FROM workflow)
ORDER BY 1;
