import { Fragment, type ReactNode, memo } from 'react'
import { type Block, type Inline, blocksOf } from './markdown'

/** Prose draws a text that may be Markdown. */
export const Prose = memo(function Prose({ text }: { text: string }) {
  return (
    <div className="prose" dir="auto">
      {blocksOf(text).map((b, i) => (
        <Fragment key={i}>{blockOf(b)}</Fragment>
      ))}
    </div>
  )
})

function blockOf(b: Block): ReactNode {
  switch (b.kind) {
    case 'code':
      return <pre tabIndex={0}>{b.text}</pre>
    case 'heading':
      return (
        <p className="prose-head">
          <Pieces list={b.inline} />
        </p>
      )
    case 'list': {
      const items = b.items.map((item, i) => (
        <li key={i}>
          <Pieces list={item} />
        </li>
      ))
      return b.ordered ? <ol start={b.start}>{items}</ol> : <ul>{items}</ul>
    }
    case 'quote':
      return <blockquote>{linesOf(b.lines)}</blockquote>
    default:
      return <p>{linesOf(b.lines)}</p>
  }
}

const linesOf = (lines: Inline[][]) =>
  lines.map((line, i) => (
    <Fragment key={i}>
      {i > 0 && <br />}
      <Pieces list={line} />
    </Fragment>
  ))

function Pieces({ list }: { list: Inline[] }) {
  return list.map((p, i) => {
    switch (p.kind) {
      case 'strong':
        return <strong key={i}>{p.text}</strong>
      case 'em':
        return <em key={i}>{p.text}</em>
      case 'code':
        return <code key={i}>{p.text}</code>
      case 'link':
        return (
          <a key={i} href={p.href} target="_blank" rel="noreferrer">
            {p.text}
          </a>
        )
      default:
        return <Fragment key={i}>{p.text}</Fragment>
    }
  })
}
