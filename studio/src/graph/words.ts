/** What conditions and functions are called on the canvas: short words, the whole text on demand. */

const REFERENCE = /@\{[^}]*\}((?:\.[\p{L}\d_-]+|\[-?\d+\])*)/gu

/** shorten writes references without their session: @{SESSION_ID}.ask.response is ask.response. */
export function shorten(text: string, source = ''): string {
  return text.replace(REFERENCE, (_, rest: string) => {
    const path = rest.replace(/^\./, '')
    if (!path) return 'session id'
    return source && path.startsWith(source + '.') ? path.slice(source.length + 1) : path
  })
}

function parse(text: string): unknown {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{') && !trimmed.startsWith('[')) return undefined
  try {
    return JSON.parse(trimmed)
  } catch {
    return undefined
  }
}

function join(parts: string[], operator: string): string {
  const kept = parts.filter((p) => p !== '')
  if (kept.length < 2) return kept[0] ?? ''
  const word = operator.toUpperCase() === 'OR' ? ' or ' : ' and '
  return kept.map((p) => (/ (and|or) /.test(p) ? `(${p})` : p)).join(word)
}

const SIGNS: Record<string, string> = { '==': 'is', '!=': 'is not', '>=': '≥', '<=': '≤' }

/** comparison writes an expression's signs as words; what stands in quotes is left alone. */
function comparison(text: string): string {
  return text.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\s*([=!<>]=)\s*/g, (all, sign?: string) => (sign ? ` ${SIGNS[sign]} ` : all))
}

/** conditionWords is a condition as a short sentence; "" when the path is always open. */
export function conditionWords(condition: unknown, operator = 'AND', source = ''): string {
  if (condition === undefined || condition === null) return ''
  if (typeof condition === 'string') {
    const parsed = parse(condition)
    if (parsed !== undefined) return conditionWords(parsed, operator, source)
    return comparison(shorten(condition.trim().replace(/^when\s+/, ''), source))
  }
  if (Array.isArray(condition)) {
    if (condition.length === 0) return operator.toUpperCase() === 'OR' ? 'never' : ''
    return join(condition.map((c) => conditionWords(c, 'AND', source)), operator)
  }
  if (typeof condition === 'object') {
    const c = condition as Record<string, unknown>
    if (typeof c.when === 'string') return comparison(shorten(c.when.trim(), source))
    const parts: string[] = []
    const each = (value: unknown, not: boolean) => {
      const list = Array.isArray(value) ? value : [value]
      for (const v of list) {
        const words = conditionWords(v, 'AND', source)
        parts.push(not ? (/ /.test(words) ? `not (${words})` : `not ${words}`) : words)
      }
    }
    if ('true' in c) each(c.true, false)
    if ('false' in c) each(c.false, true)
    return join(parts, typeof c.operator === 'string' ? c.operator : 'AND')
  }
  return String(condition)
}

/** cut shortens a text for a place that holds so many characters. */
export function cut(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= length ? line : line.slice(0, length - 1).trimEnd() + '…'
}

const KINDS: Record<string, string> = {
  request: 'Ask a person',
  confirm: 'Ask yes or no',
  select: 'Ask to choose',
  reply: 'Reply',
  generate: 'Model',
  agent: 'Agent',
  api: 'HTTP request',
  graphql: 'GraphQL request',
  'mcp.call': 'MCP tool',
  integration: 'Integration',
  code: 'Script',
  shell: 'Shell command',
  condition: 'Condition',
  switch: 'Switch',
  classify: 'Classify',
  variable: 'Variable',
  accumulate: 'Accumulate',
  template: 'Template',
  calculate: 'Calculate',
  loop: 'Loop',
  iterate: 'Iterate',
  map: 'Map',
  group: 'Group',
  subflow: 'Subflow',
  wait: 'Wait',
  'graph.query': 'Graph query',
}

/** kindOf is a function's short name: utils.request.request is request. */
export function kindOf(name: string | undefined): string {
  if (!name) return ''
  if (name === 'mcp.call' || name === 'graph.query') return name
  if (name.startsWith('agent.')) return 'agent'
  return name.startsWith('utils.') || name.startsWith('file.') ? name.split('.').pop()! : name
}

/** kindWords is a function in words; a function of the user's own keeps its name. */
export function kindWords(name: string | undefined): string {
  if (!name) return 'No function'
  return KINDS[kindOf(name)] ?? name
}

/** useful picks the one field of a step's input that says most. */
export function useful(input: unknown): string {
  let value = input
  if (typeof value === 'string') value = parse(value) ?? value
  if (typeof value === 'string') return shorten(value)
  if (!value || typeof value !== 'object') return ''
  const fields = value as Record<string, unknown>
  for (const name of ['prompt', 'message', 'user', 'template', 'url', 'expression', 'command', 'code', 'items', 'workflow', 'value', 'query', 'system', 'for']) {
    const text = fields[name]
    if (typeof text === 'string' && text.trim()) return shorten(text)
    if (text !== undefined && text !== null && typeof text !== 'string') return shorten(JSON.stringify(text))
  }
  const first = Object.entries(fields)[0]
  return first ? shorten(`${first[0]}: ${typeof first[1] === 'string' ? first[1] : JSON.stringify(first[1])}`) : ''
}
