import { AlertCircle } from 'lucide-react'
import { type ButtonHTMLAttributes, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Offline, Refusal } from '../api/client'
import { type Scope, useRefused } from '../api/scopes'
import { copy } from './clipboard'
import { lookOf } from './looks'

export { lookOf }

export function StatusIcon({ status, size = 14 }: { status: string; size?: number }) {
  const { icon: Icon, tone } = lookOf(status)
  return <Icon className={`status-icon tone-${tone}${status === 'active' || status === 'running' ? ' spin' : ''}`} size={size} aria-hidden />
}

export function Status({ status, short }: { status: string; short?: boolean }) {
  const look = lookOf(status)
  return (
    <span className={`status tone-${look.tone}`}>
      <StatusIcon status={status} />
      {short && status === 'awaiting_input' ? 'Waiting' : look.text}
    </span>
  )
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  primary?: boolean
  quiet?: boolean
  danger?: boolean
  icon?: ReactNode
  /** The scope that what it does needs: without it the button is off and says why. */
  needs?: Scope
}

export function Button({ primary, quiet, danger, icon, children, needs, className = '', ...rest }: ButtonProps) {
  const refused = useRefused(needs)
  const look = primary ? 'primary' : quiet ? 'quiet' : danger ? 'danger' : ''
  return (
    <button type="button" className={`button ${look} ${children ? '' : 'only-icon'} ${className}`} {...rest} {...(refused && { disabled: true, title: refused, 'aria-description': refused })}>
      {icon}
      {children}
    </button>
  )
}

export function Empty({ title, children, icon }: { title: string; children?: ReactNode; icon?: ReactNode }) {
  return (
    <div className="empty">
      {icon && <div className="empty-icon">{icon}</div>}
      <h2>{title}</h2>
      {children}
    </div>
  )
}

export function Loading({ what, lines = 6 }: { what: string; lines?: number }) {
  return (
    <div className="loading" role="status" aria-label={`Loading ${what}`}>
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} className="bone" style={{ width: `${[92, 70, 84, 60, 88, 76][i % 6]}%` }} />
      ))}
    </div>
  )
}

/** ErrorState says what failed, why, and what to do next. */
export function ErrorState({ error, again, title, back }: { error: unknown; again?: () => void; title?: string; back?: ReactNode }) {
  const offline = error instanceof Offline
  const missing = error instanceof Refusal && error.status === 404
  return (
    <div className="empty" role="alert">
      <div className="empty-icon bad">
        <AlertCircle size={28} aria-hidden />
      </div>
      <h2>{offline ? 'The server does not answer' : missing ? 'Not found' : (title ?? 'This could not be loaded')}</h2>
      <p>{offline ? 'Studio tries again by itself. Look whether stepgraph still runs.' : messageOf(error)}</p>
      {missing ? back : again && <Button onClick={again}>Try again</Button>}
    </div>
  )
}

export function messageOf(error: unknown): string {
  if (error instanceof Refusal) {
    const places = error.faults.map((f) => [f.pointer || f.parameter, f.message].filter(Boolean).join(': '))
    return [error.detail || (places.length ? '' : error.message), ...places].filter(Boolean).join('; ')
  }
  return error instanceof Error ? error.message : String(error)
}

/** Dialog is the browser's own modal dialog: it keeps the focus inside and gives it back. */
export function Dialog({ title, onClose, children, wide, actions }: { title: string; onClose: () => void; children: ReactNode; wide?: boolean; actions?: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const d = ref.current
    if (!d || d.open) return
    d.showModal() // it gives the focus to its first control, which is the one that closes it
    const fields = [...d.querySelectorAll<HTMLElement>('.dialog-body :is(input, textarea, select)')]
    const first = fields.find((e) => e.checkVisibility()) ?? d.querySelector<HTMLElement>('.button.primary:enabled')
    first?.focus()
  }, [])
  return (
    <dialog
      ref={ref}
      className={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(e) => {
        e.preventDefault()
        onClose()
      }}
      onClick={(e) => e.target === ref.current && onClose()}
    >
      <div className="dialog-in">
        <header>
          <h2 id={id}>{title}</h2>
          <Button quiet aria-label="Close" onClick={onClose} icon={<span aria-hidden>✕</span>} />
        </header>
        <div className="dialog-body">{children}</div>
        {actions && <footer>{actions}</footer>}
      </div>
    </dialog>
  )
}

export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [done, setDone] = useState(false)
  useEffect(() => {
    if (!done) return
    const timer = setTimeout(() => setDone(false), 1500)
    return () => clearTimeout(timer)
  }, [done])
  const run = async () => {
    await copy(text)
    setDone(true)
  }
  return (
    <Button quiet className="small" onClick={() => void run()}>
      {done ? 'Copied' : label}
    </Button>
  )
}

/** Tabs are a list of buttons with arrow keys. */
export function Tabs<T extends string>({ value, options, onChange, label }: { value: T; options: [T, ReactNode][]; onChange: (v: T) => void; label: string }) {
  const move = (step: number) => {
    const at = options.findIndex(([v]) => v === value)
    onChange(options[(at + step + options.length) % options.length][0])
  }
  return (
    <div className="tabs" role="tablist" aria-label={label}>
      {options.map(([v, text]) => (
        <button
          key={v}
          role="tab"
          type="button"
          aria-selected={v === value}
          tabIndex={v === value ? 0 : -1}
          onClick={() => onChange(v)}
          onKeyDown={(e) => {
            if (e.key !== 'ArrowRight' && e.key !== 'ArrowLeft') return
            const list = e.currentTarget.parentElement!
            move(e.key === 'ArrowRight' ? 1 : -1)
            requestAnimationFrame(() => list.querySelector<HTMLElement>('[aria-selected=true]')?.focus())
          }}
        >
          {text}
        </button>
      ))}
    </div>
  )
}
