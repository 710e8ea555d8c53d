export interface DiffLine {
  kind: 'same' | 'old' | 'new'
  text: string
}

/** diffLines compares two texts line by line: the longest common part stays, by way of a table. */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split('\n')
  const b = after.split('\n')
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const middle = between(a.slice(head, a.length - tail), b.slice(head, b.length - tail))
  const same = (list: string[]): DiffLine[] => list.map((text) => ({ kind: 'same', text }))
  return [...same(a.slice(0, head)), ...middle, ...same(a.slice(a.length - tail))]
}

/** Above so many cells everything in between counts as replaced. */
const MOST = 4_000_000

function between(a: string[], b: string[]): DiffLine[] {
  const replaced = (): DiffLine[] => [...a.map((text): DiffLine => ({ kind: 'old', text })), ...b.map((text): DiffLine => ({ kind: 'new', text }))]
  if (a.length === 0 || b.length === 0 || a.length * b.length > MOST) return replaced()
  const width = b.length + 1
  const common = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(common[(i + 1) * width + j], common[i * width + j + 1])
    }
  }
  const out: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      out.push({ kind: 'same', text: a[i] })
      i++
      j++
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) out.push({ kind: 'old', text: a[i++] })
    else out.push({ kind: 'new', text: b[j++] })
  }
  while (i < a.length) out.push({ kind: 'old', text: a[i++] })
  while (j < b.length) out.push({ kind: 'new', text: b[j++] })
  return out
}

/** near keeps changed lines and a few around them; what is left out is a line of dots. */
export function near(lines: DiffLine[], around = 2): DiffLine[] {
  const keep = lines.map((_, i) => lines.slice(Math.max(0, i - around), i + around + 1).some((l) => l.kind !== 'same'))
  return lines.flatMap((l, i): DiffLine[] => (keep[i] ? [l] : keep[i - 1] || i === 0 ? [{ kind: 'same', text: '…' }] : []))
}
