import { expect, it } from 'vitest'
import { browserLink, cypherOfPath, cypherOfSessions, cypherOfStep } from './cypher'

it('quotes what people named', () => {
  expect(cypherOfStep("it's", 'a\\b')[0].cypher).toContain("{workflow: 'it\\'s', id: 'a\\\\b'}")
})
it('says what a filter says', () => {
  expect(cypherOfSessions({ status: ['error', 'paused'], step: 'ask', q: 'lamp' })[0].cypher).toBe(
    "MATCH (s:SESSION)\nWHERE s.status IN ['error', 'paused']\n  AND s.awaiting_since IS NOT NULL\n  AND s.awaiting CONTAINS '\"step\":\"ask\"'\n  AND s.state CONTAINS 'lamp'\nRETURN s.id, s.workflow, s.status, s.updated_at\nORDER BY s.created_at DESC LIMIT 50;",
  )
})
it('changes conditions of NEXT only', () => {
  expect(cypherOfPath('w', 'a', 'b', 'TOOL')).toHaveLength(1)
  expect(cypherOfPath('w', 'a', 'b', 'NEXT')).toHaveLength(2)
})
it('opens Neo4j Browser with the text filled in', () => {
  expect(browserLink('http://h:7474/browser/', 'RETURN 1;')).toBe('http://h:7474/browser/?cmd=edit&arg=RETURN%201%3B')
})
