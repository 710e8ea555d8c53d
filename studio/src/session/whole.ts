/** What the history keeps of an input or an output that is too large for it. */
export interface Cut {
  hash: string
  bytes: number
  head: string
}

/** cutOf tells a shortened value from an output that happens to be an object. */
export function cutOf(value: unknown): Cut | undefined {
  if (!value || typeof value !== 'object' || Array.isArray(value)) return undefined
  const v = value as Record<string, unknown>
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
