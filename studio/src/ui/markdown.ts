/**
 * Replies of models are written in Markdown. This reads the part of it that they use, as data:
 * whoever draws it makes elements of it, so nothing of a text ever becomes markup by itself.
 */
export type Inline = { kind: 'text' | 'strong' | 'em' | 'code'; text: string } | { kind: 'link'; text: string; href: string }

export type Block =
  | { kind: 'paragraph'; lines: Inline[][] }
  | { kind: 'heading'; level: number; inline: Inline[] }
  | { kind: 'code'; text: string; language: string }
  | { kind: 'list'; ordered: boolean; start: number; items: Inline[][] }
  | { kind: 'quote'; lines: Inline[][] }

const INLINE = /`([^`\n]+)`|\*\*(?!\s)([^*\n]+?)\*\*|(?<![\w*])\*(?![\s*])([^*\n]+?)\*(?![\w*])|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>"')\]]*[^\s<>"')\].,;:!?])/g

export function inlineOf(text: string): Inline[] {
  const out: Inline[] = []
  let at = 0
  for (const m of text.matchAll(INLINE)) {
    if (m.index > at) out.push({ kind: 'text', text: text.slice(at, m.index) })
    if (m[1] !== undefined) out.push({ kind: 'code', text: m[1] })
    else if (m[2] !== undefined) out.push({ kind: 'strong', text: m[2] })
    else if (m[3] !== undefined) out.push({ kind: 'em', text: m[3] })
    else if (m[4] !== undefined) out.push({ kind: 'link', text: m[4], href: m[5] })
    else out.push({ kind: 'link', text: m[6], href: m[6] })
    at = m.index + m[0].length
  }
  if (at < text.length) out.push({ kind: 'text', text: text.slice(at) })
  return out
}

const FENCE = /^\s{0,3}(```+|~~~+)\s*([\w+#.-]*)\s*$/
const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/
const BULLET = /^\s{0,6}[-*+]\s+(.+)$/
const NUMBER = /^\s{0,6}(\d{1,9})[.)]\s+(.+)$/
const QUOTE = /^>\s?(.*)$/

export function blocksOf(text: string): Block[] {
  const out: Block[] = []
  const lines = text.split('\n')
  let open: Block | undefined
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]
    const fence = FENCE.exec(line)
    if (fence) {
      const end = lines.findIndex((l, n) => n > i && l.trim() === fence[1])
      out.push({ kind: 'code', text: lines.slice(i + 1, end < 0 ? undefined : end).join('\n'), language: fence[2] })
      i = end < 0 ? lines.length : end
      open = undefined
      continue
    }
    if (line.trim() === '') {
      open = undefined
      continue
    }
    const heading = HEADING.exec(line)
    if (heading) {
      out.push({ kind: 'heading', level: heading[1].length, inline: inlineOf(heading[2]) })
      open = undefined
      continue
    }
    const bullet = BULLET.exec(line)
    const number = bullet ? null : NUMBER.exec(line)
    if (bullet || number) {
      const ordered = number !== null
      if (open?.kind !== 'list' || open.ordered !== ordered) out.push((open = { kind: 'list', ordered, start: number ? Number(number[1]) : 1, items: [] }))
      open.items.push(inlineOf(bullet ? bullet[1] : number![2]))
      continue
    }
    const quote = QUOTE.exec(line)
    const inline = inlineOf(quote ? quote[1] : line)
    const kind = quote ? 'quote' : 'paragraph'
    if (open && open.kind === kind && 'lines' in open) open.lines.push(inline)
    else out.push((open = { kind, lines: [inline] }))
  }
  return out
}

/** isMarkdown reports whether a text would look otherwise as it was written. A bare address is the same in both. */
export function isMarkdown(text: string): boolean {
  const plain = (list: Inline[]) => list.every((i) => i.kind === 'text' || (i.kind === 'link' && i.text === i.href))
  return blocksOf(text).some((b) => b.kind !== 'paragraph' || !b.lines.every(plain))
}
