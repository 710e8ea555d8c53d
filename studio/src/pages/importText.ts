import type { Fault } from '../api/client'
import type { Difference } from '../api/schema'

/** read gives the text of a file, and refuses one that is not UTF-8 rather than to change it. */
export async function read(file: File): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
  } catch {
    throw new Error(`${file.name} is not a text in UTF-8.`)
  }
}

/** differenceWords says in words what an import changes in a workflow. */
export function differenceWords(d: Difference): string {
  const part = (what: string, list: Record<string, unknown>) =>
    Object.entries(list)
      .filter(([, ids]) => Array.isArray(ids) && ids.length > 0)
      .map(([verb, ids]) => `${(ids as unknown[]).length} ${what}${(ids as unknown[]).length === 1 ? '' : 's'} ${verb}`)
  const all = [...part('step', d.steps as Record<string, unknown>), ...part('path', d.paths as Record<string, unknown>)]
  return all.length ? all.join(', ') : 'nothing changes'
}

/** messageWithoutPlace is a fault's text without FILE:LINE:COLUMN and pointer, which are shown beside it. */
export function messageWithoutPlace(f: Fault): string {
  const text = f.line ? f.message.replace(/^[^\n]*?:\d+:(?:\d+:)? /, '') : f.message
  return f.pointer && text.startsWith(f.pointer + ': ') ? text.slice(f.pointer.length + 2) : text
}

/** offsetOf is where a line and a column, both from 1 and the column in bytes, are in a text. */
export function offsetOf(text: string, line: number, column = 1): number {
  let at = 0
  for (let n = 1; n < line; n++) {
    const end = text.indexOf('\n', at)
    if (end < 0) return text.length
    at = end + 1
  }
  let bytes = 1
  while (bytes < column && at < text.length && text[at] !== '\n') {
    const one = text.codePointAt(at)!
    bytes += one < 0x80 ? 1 : one < 0x800 ? 2 : one < 0x10000 ? 3 : 4
    at += one < 0x10000 ? 1 : 2
  }
  return at
}
