/** Statements that find in Neo4j what the page shows; docs/queries.md has more of them. */

function text(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}

export interface Statement {
  title: string
  cypher: string
}

export function cypherOfStep(workflow: string, step: string): Statement[] {
  const match = `MATCH (s:STEP {workflow: ${text(workflow)}, id: ${text(step)}})`
  return [
    { title: 'Show the step and its paths', cypher: `${match}\nOPTIONAL MATCH (s)-[p:NEXT|TOOL|CONTAINS]-(other:STEP)\nRETURN s, p, other;` },
    { title: 'Change its input', cypher: `${match}\nSET s.input = '{"message": "…"}'\nRETURN s;` },
    {
      title: 'What it ran last',
      cypher: `MATCH (x:EXECUTION {workflow: ${text(workflow)}, step: ${text(step)}})\nRETURN x.session, x.visit, x.status, x.input, x.output, x.finished_at\nORDER BY x.finished_at DESC LIMIT 25;`,
    },
  ]
}

export function cypherOfPath(workflow: string, source: string, target: string, kind: string): Statement[] {
  const match = `MATCH (a:STEP {workflow: ${text(workflow)}, id: ${text(source)}})-[p:${kind}]->(b:STEP {id: ${text(target)}})`
  const list = [{ title: 'Show the path', cypher: `${match}\nRETURN a, p, b;` }]
  if (kind === 'NEXT') list.push({ title: 'Change its condition', cypher: `${match}\nSET p.condition = '{"true": "@{SESSION_ID}.${source}.…"}'\nRETURN p;` })
  return list
}

export function cypherOfWorkflow(workflow: string): Statement[] {
  return [
    {
      title: 'Show the workflow as a graph',
      cypher: `MATCH (s:STEP {workflow: ${text(workflow)}})\nOPTIONAL MATCH (s)-[p:NEXT|TOOL|CONTAINS]->(t:STEP)\nRETURN s, p, t;`,
    },
    {
      title: 'Where its sessions stand',
      cypher: `MATCH (s:SESSION {workflow: ${text(workflow)}})\nRETURN s.status AS status, count(*) AS sessions\nORDER BY sessions DESC;`,
    },
  ]
}

export function cypherOfSession(session: string): Statement[] {
  const match = `MATCH (s:SESSION {id: ${text(session)}})`
  return [
    { title: 'Show the session', cypher: `${match}\nRETURN s;` },
    {
      title: 'What it ran, in order',
      cypher: `MATCH (x:EXECUTION {session: ${text(session)}})\nRETURN x.seq, x.step, x.visit, x.attempt, x.status, x.input, x.output\nORDER BY x.seq;`,
    },
    {
      title: 'Which outputs were used by whom',
      cypher: `MATCH (x:EXECUTION {session: ${text(session)}})\nOPTIONAL MATCH (x)-[r:READ|TOOK]->(from:EXECUTION)\nRETURN x, r, from;`,
    },
    { title: 'Edit its state (only while it is idle)', cypher: `${match}\nWHERE s.lease IS NULL\nSET s.state = '…'\nRETURN s.id;` },
  ]
}

/** The filter of the list of sessions, as the page keeps it in its address. */
export interface SessionFilter {
  status?: string[]
  workflow?: string
  step?: string
  q?: string
  label?: string[]
  awaiting?: boolean
  created_after?: string
  created_before?: string
}

export function cypherOfSessions(f: SessionFilter): Statement[] {
  const where: string[] = []
  if (f.status?.length) where.push(`s.status IN [${f.status.map(text).join(', ')}]`)
  if (f.workflow) where.push(`s.workflow = ${text(f.workflow)}`)
  if (f.awaiting || f.step) where.push('s.awaiting_since IS NOT NULL')
  if (f.step) where.push(`s.awaiting CONTAINS ${text(`"step":"${f.step}"`)}`)
  if (f.q) where.push(`s.state CONTAINS ${text(f.q)}`)
  if (f.created_after) where.push(`s.created_at >= datetime(${text(f.created_after)})`)
  if (f.created_before) where.push(`s.created_at < datetime(${text(f.created_before)})`)
  const filter = where.length ? `\nWHERE ${where.join('\n  AND ')}` : ''
  return [
    { title: 'These sessions', cypher: `MATCH (s:SESSION)${filter}\nRETURN s.id, s.workflow, s.status, s.updated_at\nORDER BY s.created_at DESC LIMIT 50;` },
    { title: 'How many there are', cypher: `MATCH (s:SESSION)${filter}\nRETURN count(s);` },
  ]
}

/** cypherOfAwaiting finds the sessions that wait for a person, the longest wait first. */
export function cypherOfAwaiting(f: { workflow?: string; q?: string }): Statement[] {
  const where = ['s.awaiting_since >= datetime({epochMillis: 0})'] // so that the index is used
  if (f.workflow) where.push(`s.workflow = ${text(f.workflow)}`)
  if (f.q) where.push(`s.state CONTAINS ${text(f.q)}`)
  const match = `MATCH (s:SESSION)\nWHERE ${where.join('\n  AND ')}`
  return [
    { title: 'Sessions that wait', cypher: `${match}\nRETURN s.id, s.workflow, s.awaiting_steps, s.awaiting, s.awaiting_since\nORDER BY s.awaiting_since LIMIT 50;` },
    { title: 'How many wait, by workflow', cypher: `${match}\nRETURN s.workflow AS workflow, count(*) AS sessions\nORDER BY sessions DESC;` },
  ]
}

/** cypherOfWorkflows lists the workflows. */
export function cypherOfWorkflows(): Statement[] {
  return [
    { title: 'Workflows and their steps', cypher: `MATCH (s:STEP)\nRETURN s.workflow AS workflow, count(*) AS steps\nORDER BY workflow;` },
    { title: 'Where sessions stand', cypher: `MATCH (s:SESSION)\nRETURN s.workflow AS workflow, s.status AS status, count(*) AS sessions\nORDER BY workflow, status;` },
  ]
}

/** browserLink opens Neo4j Browser with a statement filled in. */
export function browserLink(browser: string, cypher: string): string {
  return `${browser.replace(/\/$/, '')}/?cmd=edit&arg=${encodeURIComponent(cypher)}`
}
