/** A Change is one place at which two JSON values differ. */
export interface Change {
  /** Where it is, as a reference would name it: `response.items[2]`; empty for the whole value. */
  path: string
  kind: 'changed' | 'added' | 'removed'
  before?: unknown
  after?: unknown
}

type Fields = Record<string, unknown>

const isFields = (v: unknown): v is Fields => typeof v === 'object' && v !== null && !Array.isArray(v)

/** Above so many comparisons the elements of two lists are paired by their index. */
const MOST = 250_000

/** changesOf lists where two values differ: fields by name, elements of lists by what is the same in both. */
export function changesOf(before: unknown, after: unknown, path = ''): Change[] {
  if (before === undefined && after === undefined) return []
  if (before === undefined) return [{ path, kind: 'added', after }]
  if (after === undefined) return [{ path, kind: 'removed', before }]
  if (Array.isArray(before) && Array.isArray(after)) return changesOfLists(before, after, path)
  if (isFields(before) && isFields(after)) {
    const keys = [...Object.keys(before), ...Object.keys(after).filter((k) => !Object.hasOwn(before, k))]
    return keys.flatMap((k) => changesOf(own(before, k), own(after, k), fieldPath(path, k)))
  }
  return before === after ? [] : [{ path, kind: 'changed', before, after }]
}

const own = (v: Fields, key: string) => (Object.hasOwn(v, key) ? v[key] : undefined)

const fieldPath = (path: string, key: string) => (/^[\p{L}\d_-]+$/u.test(key) ? (path ? `${path}.${key}` : key) : `${path}[${JSON.stringify(key)}]`)

function changesOfLists(before: unknown[], after: unknown[], path: string): Change[] {
  const a = before.map(canonical)
  const b = after.map(canonical)
  const out: Change[] = []
  for (const run of runs(a, b)) {
    const paired = Math.min(run.toA - run.fromA, run.toB - run.fromB)
    for (let i = 0; i < paired; i++) out.push(...changesOf(before[run.fromA + i], after[run.fromB + i], `${path}[${run.fromB + i}]`))
    for (let i = run.fromA + paired; i < run.toA; i++) out.push({ path: `${path}[${i}]`, kind: 'removed', before: before[i] })
    for (let i = run.fromB + paired; i < run.toB; i++) out.push({ path: `${path}[${i}]`, kind: 'added', after: after[i] })
  }
  return out
}

/** canonical is a text that equal values share, whatever the order of their fields. */
function canonical(v: unknown): string {
  if (Array.isArray(v)) return `[${v.map(canonical).join()}]`
  if (isFields(v)) return `{${Object.keys(v).sort().map((k) => `${JSON.stringify(k)}:${canonical(v[k])}`).join()}}`
  return JSON.stringify(v) ?? ''
}

/** A Run is a stretch of two lists without a common element. */
interface Run {
  fromA: number
  toA: number
  fromB: number
  toB: number
}

/** runs are the stretches between the elements that two lists have in common, in order. */
function runs(a: string[], b: string[]): Run[] {
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const endA = a.length - tail
  const endB = b.length - tail
  const out: Run[] = []
  let fromA = head
  let fromB = head
  const close = (toA: number, toB: number) => {
    if (toA > fromA || toB > fromB) out.push({ fromA, toA, fromB, toB })
  }
  for (const [i, j] of (endA - head) * (endB - head) > MOST ? [] : common(a, b, head, endA, endB)) {
    close(i, j)
    fromA = i + 1
    fromB = j + 1
  }
  close(endA, endB)
  return out
}

/** common pairs the elements of a longest common subsequence of both middles. */
function common(a: string[], b: string[], head: number, endA: number, endB: number): [number, number][] {
  const width = endB - head + 1
  const longest = new Uint32Array((endA - head + 1) * width)
  const at = (i: number, j: number) => (i - head) * width + (j - head)
  for (let i = endA - 1; i >= head; i--) {
    for (let j = endB - 1; j >= head; j--) {
      longest[at(i, j)] = a[i] === b[j] ? longest[at(i + 1, j + 1)] + 1 : Math.max(longest[at(i + 1, j)], longest[at(i, j + 1)])
    }
  }
  const pairs: [number, number][] = []
  for (let i = head, j = head; i < endA && j < endB; ) {
    if (a[i] === b[j]) pairs.push([i++, j++])
    else if (longest[at(i + 1, j)] >= longest[at(i, j + 1)]) i++
    else j++
  }
  return pairs
}
