import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type GraphModel, titleOf } from '../graph/model'
import { type Bar, type Row, scaleOf } from '../session/timeline'
import { clock, duration } from '../ui/format'
import { StatusIcon, lookOf } from '../ui/parts'

const LABEL = 168

/** Timeline is a row a step and a bar a visit, with the waits for people broken out. */
export function Timeline({ rows, model, chosen, onChoose, onHover }: { rows: Row[]; model?: GraphModel; chosen?: { step: string; visit?: number }; onChoose: (step: string, visit: number) => void; onHover: (step: string | undefined) => void }) {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(600)
  useEffect(() => {
    const observer = new ResizeObserver(([e]) => setWidth(Math.max(200, e.contentRect.width - LABEL - 24)))
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [])
  const scale = useMemo(() => scaleOf(rows, width), [rows, width])
  const list = useVirtualizer({ count: rows.length, getScrollElement: () => box.current, estimateSize: () => 28, overscan: 10 })
  const bars = useMemo(() => rows.flatMap((r) => r.bars).sort((a, b) => a.from - b.from), [rows])
  const keys = (e: React.KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key]
    if (!step || bars.length === 0) return
    e.preventDefault()
    const at = bars.findIndex((b) => b.step === chosen?.step && b.visit === chosen.visit)
    const next = bars[Math.max(0, Math.min(bars.length - 1, at + step))]
    onChoose(next.step, next.visit)
  }
  const total = bars.length ? Math.max(...bars.map((b) => b.to)) - bars[0].from : 0
  return (
    <div ref={box} className="timeline" tabIndex={0} role="group" aria-label="Timeline. Left and right go from visit to visit." onKeyDown={keys}>
      <div className="axis" style={{ marginLeft: LABEL }}>
        {scale.pieces.map((p, i) =>
          p.broken ? (
            <span key={i} className="break" style={{ left: p.x, width: p.width }} title={`Waited ${duration(p.to - p.from)}`}>
              {duration(p.to - p.from)}
            </span>
          ) : null,
        )}
        <span className="axis-total faint">{duration(total)} in all</span>
      </div>
      <div style={{ height: list.getTotalSize(), position: 'relative' }}>
        {scale.pieces
          .filter((p) => p.broken)
          .map((p, i) => (
            <span key={i} className="break-lane" style={{ left: LABEL + p.x, width: p.width }} aria-hidden />
          ))}
        {list.getVirtualItems().map((v) => {
          const row = rows[v.index]
          return (
            <div key={row.step} className={row.step === chosen?.step ? 'time-row on' : 'time-row'} style={{ transform: `translateY(${v.start}px)` }} onMouseEnter={() => onHover(row.step)} onMouseLeave={() => onHover(undefined)}>
              <button type="button" className="time-label" tabIndex={-1} onClick={() => onChoose(row.step, row.bars[row.bars.length - 1].visit)} title={row.step}>
                {titleOf(model, row.step)}
              </button>
              <div className="time-bars">
                {row.bars.map((b) => (
                  <BarOf key={b.key} bar={b} title={titleOf(model, b.step)} x={scale.x(b.from)} end={scale.x(b.to)} on={b.step === chosen?.step && b.visit === chosen.visit} onChoose={onChoose} />
                ))}
              </div>
            </div>
          )
        })}
      </div>
    </div>
  )
}

function BarOf({ bar: b, title, x, end, on, onChoose }: { bar: Bar; title: string; x: number; end: number; on: boolean; onChoose: (step: string, visit: number) => void }) {
  const look = lookOf(b.status)
  const words = `${title}, visit ${b.visit}${b.attempt > 1 ? `, attempt ${b.attempt}` : ''}: ${look.text}, ${duration(b.to - b.from)}`
  const wide = Math.max(4, end - x)
  return (
    <button type="button" tabIndex={-1} aria-label={words} title={`${words}\n${clock(b.from)}`} className={`time-bar tone-${b.human ? 'awaiting' : look.tone}${on ? ' on' : ''}${b.human ? ' human' : ''}`} style={{ left: x, width: wide }} onClick={() => onChoose(b.step, b.visit)}>
      {wide > 22 && <StatusIcon status={b.status} size={11} />}
    </button>
  )
}
