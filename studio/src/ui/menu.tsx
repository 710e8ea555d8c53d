import { type ReactNode, useRef, useState } from 'react'
import type { Scope } from '../api/scopes'
import { Button } from './parts'

interface Entry {
  text: string
  run: () => void
}

/** Menu is a button that opens a list of actions; arrow keys go through it, Escape closes it. */
export function Menu({ label, icon, text, entries, needs }: { label: string; icon: ReactNode; text?: string; entries: Entry[]; needs?: Scope }) {
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  const keys = (e: React.KeyboardEvent) => {
    if (e.key === 'Escape' && open) {
      setOpen(false)
      box.current?.querySelector('button')?.focus()
      return
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (!step || !open) return
    e.preventDefault()
    const all = items()
    all.at((all.indexOf(document.activeElement as HTMLElement) + step) % all.length)?.focus()
  }
  return (
    <div ref={box} className="menu-box" onBlur={(e) => !e.currentTarget.contains(e.relatedTarget) && setOpen(false)} onKeyDown={keys}>
      <Button needs={needs} quiet={!text} aria-label={text ? undefined : label} title={text ? undefined : label} aria-expanded={open} aria-haspopup="menu" icon={icon} onClick={() => setOpen(!open)}>
        {text}
      </Button>
      {open && (
        <ul className="menu" role="menu" aria-label={label}>
          {entries.map((e) => (
            <li key={e.text} role="none">
              <button
                type="button"
                role="menuitem"
                onClick={() => {
                  setOpen(false)
                  e.run()
                }}
              >
                {e.text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
