import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { Braces, Contrast, Inbox, ListChecks, LogOut, Monitor, Moon, Rows3, Search, Sun, Workflow } from 'lucide-react'
import { type ReactNode, Suspense, lazy, useEffect, useState } from 'react'
import { useAuth } from '../api/auth'
import { base } from '../api/client'
import { useLink } from '../api/link'
import { countsQuery } from '../api/queries'
import { count } from '../ui/format'
import { Button } from '../ui/parts'
import { ToastList } from '../ui/toast'
import { leave, usePeople } from './people'
import { SignIn } from './SignIn'
import { type Theme, useTheme } from './theme'

const Palette = lazy(() => import('./Palette'))

const PLACES = [
  { to: '/workflows', text: 'Workflows', icon: Workflow },
  { to: '/inbox', text: 'Inbox', icon: Inbox },
  { to: '/sessions', text: 'Sessions', icon: Rows3 },
  { to: '/batches', text: 'Batches', icon: ListChecks },
] as const

/** Shell is what every page has around it. */
export function Shell({ children }: { children: ReactNode }) {
  const refused = useAuth((s) => s.refused)
  const [palette, setPalette] = useState(false)
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'k') {
        e.preventDefault()
        setPalette((v) => !v)
      } else if (e.key === 'F6') {
        e.preventDefault()
        nextRegion(e.shiftKey ? -1 : 1)
      }
    }
    addEventListener('keydown', keys)
    return () => removeEventListener('keydown', keys)
  }, [])
  if (refused) return <SignIn />
  return (
    <div className="shell">
      <a className="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById('main')?.focus())}>
        Skip to the page
      </a>
      <Rail onSearch={() => setPalette(true)} />
      <div className="body">
        <OfflineBar />
        <main id="main" tabIndex={-1} data-region>
          {children}
        </main>
      </div>
      <ToastList />
      {palette && (
        <Suspense>
          <Palette onClose={() => setPalette(false)} />
        </Suspense>
      )}
    </div>
  )
}

/** nextRegion moves the focus between the parts of the page that are marked as regions. */
function nextRegion(step: number) {
  const all = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter((e) => e.offsetParent !== null)
  if (all.length === 0) return
  const at = all.findLastIndex((e) => e.contains(document.activeElement))
  const next = all[(at + step + all.length) % all.length]
  if (!next.hasAttribute('tabindex')) next.tabIndex = -1
  next.focus()
}

function Rail({ onSearch }: { onSearch: () => void }) {
  const path = useRouterState({ select: (s) => s.location.pathname })
  const waiting = useQuery(countsQuery('status', { awaiting: true })).data?.total ?? 0
  const token = useAuth((s) => s.token)
  const signOut = useAuth((s) => s.signOut)
  const person = usePeople()?.signed_in === true
  return (
    <nav className="rail" aria-label="Main" data-region>
      <Link to="/workflows" search={{ q: undefined }} className="brand" aria-label="stepgraph">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" />
          <path d="M10 10 22 16 10 22" />
          <circle cx="10" cy="10" r="3.4" />
          <circle cx="22" cy="16" r="3.4" />
          <circle cx="10" cy="22" r="3.4" />
        </svg>
        <span>stepgraph</span>
      </Link>
      <button type="button" className="search" onClick={onSearch}>
        <Search size={15} aria-hidden />
        <span>Search</span>
        <kbd>Ctrl K</kbd>
      </button>
      <ul>
        {PLACES.map(({ to, text, icon: Icon }) => (
          <li key={to}>
            <Link to={to} className={path.includes(to) ? 'place here' : 'place'} aria-current={path.includes(to) ? 'page' : undefined}>
              <Icon size={18} aria-hidden />
              <span>{text}</span>
              {to === '/inbox' && waiting > 0 && (
                <b className="badge" aria-label={`${waiting} wait`}>
                  {waiting > 9999 ? '9999+' : count(waiting)}
                </b>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <div className="rail-end">
        <Looks />
        <a className="button quiet only-icon api" href={base + '/docs'} aria-label="HTTP API" title="HTTP API">
          <Braces size={16} aria-hidden />
        </a>
        {(token || person) && <Button quiet aria-label="Sign out" title="Sign out" icon={<LogOut size={16} />} onClick={token ? signOut : () => void leave()} />}
      </div>
    </nav>
  )
}

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
const ICON = { system: Monitor, light: Sun, dark: Moon }

function Looks() {
  const { theme, more, set } = useTheme()
  const Icon = ICON[theme]
  return (
    <>
      <Button quiet aria-label={`Theme: ${theme}`} title={`Theme: ${theme}`} icon={<Icon size={16} />} onClick={() => set(NEXT[theme], more)} />
      <Button quiet aria-label="High contrast" aria-pressed={more} title="High contrast" icon={<Contrast size={16} />} onClick={() => set(theme, !more)} />
    </>
  )
}

/** OfflineBar says that the server is gone, and looks for it. */
function OfflineBar() {
  const offline = useLink((s) => s.offline)
  const client = useQueryClient()
  useEffect(() => {
    if (!offline) return
    const timer = setInterval(() => void client.refetchQueries({ type: 'active' }), 3000)
    return () => {
      clearInterval(timer)
      void client.invalidateQueries()
    }
  }, [offline, client])
  if (!offline) return null
  return (
    <div className="offline" role="alert">
      The server does not answer. What you see may be old; Studio tries again every 3 seconds.
    </div>
  )
}
