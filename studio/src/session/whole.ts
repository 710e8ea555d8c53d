/** What is kept of a value that is too large for the place it stands in. */
export interface Cut {
  hash: string
  bytes: number
  /** Its beginning; the state keeps none. */
  head: string
}

/** cutOf tells a shortened value of the history, or the state's mark of a large output, from an output that happens to be an object. */
export function cutOf(value: unknown): Cut | undefined {
  if (!value || typeof value !== 'object' || Array.isArray(value)) return undefined
  const v = value as Record<string, unknown>
  if (typeof v['@blob'] === 'string' && typeof v.bytes === 'number') return { hash: v['@blob'], bytes: v.bytes, head: '' }
  if (v.cut !== true || typeof v.hash !== 'string' || typeof v.head !== 'string' || typeof v.bytes !== 'number') return undefined
  return { hash: v.hash, bytes: v.bytes, head: v.head }
}

/** wholeOf finds a large value in the lines of a session's document; undefined when it is no longer kept. */
export function wholeOf(document: string, hash: string): unknown {
  const line = document.split('\n').find((l) => l.startsWith('{"blob"') && l.includes(hash))
  if (!line) return undefined
  const { blob } = JSON.parse(line) as { blob: { hash: string; text: string } }
  try {
    return JSON.parse(blob.text) as unknown
  } catch {
    return blob.text
  }
}
