import { useRef, useState } from 'react'

interface Props {
  /** What it makes wider or narrower, in words. */
  label: string
  width: number
  /** Which side of it the part lies on. */
  side: 'left' | 'right'
  onWidth: (width: number) => void
}

const LEAST = 220
/** The part may take at most so much of the window. */
const SHARE = 0.4
const STEP = 24

const most = () => Math.max(LEAST, Math.round(innerWidth * SHARE))

/** useWidth is the width of a part of the page: what the person chose last, in this browser. */
export function useWidth(name: string, width: number): [number, (w: number) => void] {
  const key = `stepgraph.width.${name}`
  const [chosen, setChosen] = useState(() => Number(read(key)) || width)
  const set = (w: number) => {
    const next = Math.round(Math.min(most(), Math.max(LEAST, w)))
    setChosen(next)
    try {
      localStorage.setItem(key, String(next))
    } catch {
      /* storage is blocked; the width lives as long as the page */
    }
  }
  return [Math.min(chosen, most()), set]
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Splitter is the edge of a part that a pointer or the arrow keys move. */
export function Splitter({ label, width, side, onWidth }: Props) {
  const from = useRef<{ x: number; width: number }>(undefined)
  const grow = side === 'left' ? 1 : -1
  const key = (e: React.KeyboardEvent) => {
    const by = { ArrowRight: grow * STEP, ArrowLeft: -grow * STEP }[e.key]
    if (by !== undefined) onWidth(width + by)
    else if (e.key === 'Home') onWidth(LEAST)
    else if (e.key === 'End') onWidth(most())
    else return
    e.preventDefault()
  }
  return (
    <div
      role="separator"
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={LEAST}
      aria-valuemax={most()}
      title={label}
      tabIndex={0}
      className="splitter"
      onKeyDown={key}
      onPointerDown={(e) => {
        e.preventDefault()
        e.currentTarget.setPointerCapture(e.pointerId)
        from.current = { x: e.clientX, width }
      }}
      onPointerMove={(e) => from.current && onWidth(from.current.width + grow * (e.clientX - from.current.x))}
      onPointerUp={() => (from.current = undefined)}
      onPointerCancel={() => (from.current = undefined)}
    />
  )
}
