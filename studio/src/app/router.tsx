import { Link, Outlet, createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { MapPinOff } from 'lucide-react'
import { PAGES } from './pages'
import { returnToPage } from './people'
import { Shell } from './Shell'
import { Empty, ErrorState, Loading } from '../ui/parts'
import type { SessionFilter } from '../graph/cypher'

/** NoPage is shown for an address that belongs to no page. */
function NoPage() {
  return (
    <Empty title="There is no page at this address" icon={<MapPinOff size={28} aria-hidden />}>
      <p>
        <code>{location.pathname}</code>
      </p>
      <div className="row">
        <Link className="button primary" to="/workflows" search={{ q: undefined }}>
          Go to workflows
        </Link>
        <Link className="button" to="/inbox">
          Go to the inbox
        </Link>
      </div>
    </Empty>
  )
}

const root = createRootRoute({
  component: () => (
    <Shell>
      <Outlet />
    </Shell>
  ),
  notFoundComponent: NoPage,
})

const text = (v: unknown): string | undefined => (typeof v === 'string' && v !== '' ? v : typeof v === 'number' ? String(v) : undefined)
const list = (v: unknown): string[] | undefined => {
  const all = (Array.isArray(v) ? v : [v]).map(text).filter((t) => t !== undefined)
  return all.length ? all : undefined
}

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/workflows', search: { q: undefined }, replace: true })
  },
})

const workflows = createRoute({
  getParentRoute: () => root,
  path: '/workflows',
  validateSearch: (s: Record<string, unknown>) => ({ q: text(s.q) }),
  component: lazyRouteComponent(PAGES.workflows, 'Workflows'),
})

export interface WorkflowSearch {
  step?: string
  path?: string
  overlay?: 'traffic' | 'failures' | 'time' | 'cost'
  since?: string
  start?: boolean
  /** Of a start: where it begins, after which steps it ends. */
  entry?: string
  /** The session on which a path's condition is judged, or none; the newest without it. */
  on?: string
  until?: string[]
}

const workflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/$workflow',
  validateSearch: (s: Record<string, unknown>): WorkflowSearch => ({
    step: text(s.step),
    path: text(s.path),
    overlay: (['traffic', 'failures', 'time', 'cost'] as const).find((o) => o === s.overlay),
    since: text(s.since),
    start: s.start === true ? true : undefined,
    entry: text(s.entry),
    on: text(s.on),
    until: list(s.until),
  }),
  component: lazyRouteComponent(PAGES.workflow, 'WorkflowPage'),
})

export interface InboxSearch {
  q?: string
  workflow?: string
  kind?: string
  open?: string
}

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  validateSearch: (s: Record<string, unknown>): InboxSearch => ({ q: text(s.q), workflow: text(s.workflow), kind: text(s.kind), open: text(s.open) }),
  component: lazyRouteComponent(PAGES.inbox, 'Inbox'),
})

const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: (s: Record<string, unknown>): SessionFilter => ({
    status: list(s.status),
    workflow: text(s.workflow),
    step: text(s.step),
    q: text(s.q),
    label: list(s.label),
    awaiting: s.awaiting === true ? true : undefined,
    created_after: text(s.created_after),
    created_before: text(s.created_before),
  }),
  component: lazyRouteComponent(PAGES.sessions, 'Sessions'),
})

export type Panel = 'timeline' | 'history' | 'state' | 'requests'

export interface SessionSearch {
  step?: string
  visit?: number
  panel?: Panel
  at?: number
  /** Of a container the round that is shown, from 1. */
  round?: number
  /** Two visits of the step that are compared; see versions.ts. */
  compare?: string
}

const session = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$session',
  validateSearch: (s: Record<string, unknown>): SessionSearch => ({
    step: text(s.step),
    visit: Number(s.visit) || undefined,
    round: Number(s.round) || undefined,
    panel: (['timeline', 'history', 'state', 'requests'] as const).find((o) => o === s.panel),
    compare: typeof s.compare === 'string' ? s.compare : undefined,
    at: s.at === undefined || !Number.isInteger(Number(s.at)) ? undefined : Number(s.at),
  }),
  component: lazyRouteComponent(PAGES.session, 'SessionPage'),
})

const batches = createRoute({
  getParentRoute: () => root,
  path: '/batches',
  component: lazyRouteComponent(PAGES.batches, 'Batches'),
})

const batch = createRoute({
  getParentRoute: () => root,
  path: '/batches/$batch',
  component: lazyRouteComponent(PAGES.batch, 'BatchPage'),
})

returnToPage()

export const router = createRouter({
  routeTree: root.addChildren([home, workflows, workflow, inbox, sessions, session, batches, batch]),
  basepath: new URL('.', document.baseURI).pathname,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading what="the page" />,
  defaultErrorComponent: ({ error, reset }) => <ErrorState error={error} again={reset} />,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
