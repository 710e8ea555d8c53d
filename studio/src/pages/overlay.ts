import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../api/client'
import { ok } from '../api/queries'
import type { WorkflowTraffic } from '../api/schema'
import type { Overlay } from '../canvas/context'
import type { GraphModel } from '../graph/model'
import { cost, count, duration, plural } from '../ui/format'

export type OverlayKind = 'traffic' | 'failures' | 'time' | 'cost'

export const OVERLAYS: [OverlayKind, string][] = [
  ['traffic', 'Traffic'],
  ['failures', 'Failures'],
  ['time', 'Time (p95)'],
  ['cost', 'Cost'],
]

export const PERIODS: [string, string][] = [
  ['1h', 'last hour'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
]

const HOURS: Record<string, number> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 }

/** trafficQuery is what ran in a workflow in the last hours. */
export const trafficQuery = (workflow: string, hours: number) =>
  queryOptions({
    queryKey: ['traffic', workflow, hours],
    queryFn: async ({ signal }) => {
      const after = new Date(Date.now() - hours * 3_600_000).toISOString()
      return ok(await api.GET('/api/v1/workflows/{workflow}/traffic', { params: { path: { workflow }, query: { after } }, signal }))
    },
    refetchInterval: 30_000,
  })

/** useOverlay reads what ran in a time and lays one measure of it over the canvas. */
export function useOverlay(workflow: string, model: GraphModel, kind: OverlayKind | undefined, since = '24h'): { overlay?: Overlay; note?: string } {
  const hours = HOURS[since] ?? 24
  const { data } = useQuery({ ...trafficQuery(workflow, hours), enabled: kind !== undefined })
  return useMemo(() => {
    if (!kind || !data) return {}
    const note = data.visits === 0 ? 'Nothing ran in this time.' : `${plural(data.visits, 'visit')}${data.more ? ', the newest of more' : ''}, ${PERIODS.find(([v]) => v === since)?.[1] ?? ''}`
    return { overlay: overlayOf(model, data, kind), note }
  }, [kind, data, model, since])
}

export function overlayOf(model: GraphModel, data: WorkflowTraffic, kind: OverlayKind): Overlay {
  const out: Overlay = { steps: {}, paths: {} }
  const measure = (s: WorkflowTraffic['steps'][string]) =>
    kind === 'traffic' ? s.visits : kind === 'failures' ? (s.visits ? s.failed / s.visits : 0) : kind === 'time' ? s.p95_ms : s.cost_usd
  const top = Math.max(...Object.values(data.steps).map(measure), 1e-9)
  for (const s of model.steps) {
    const t = data.steps[s.id]
    if (!t) {
      out.steps[s.id] = { text: 'not visited', heat: 0, title: 'Not visited in this time' }
      continue
    }
    const text =
      kind === 'traffic' ? plural(t.visits, 'visit') : kind === 'failures' ? (t.failed ? `${count(t.failed)} of ${count(t.visits)} failed` : 'none failed') : kind === 'time' ? `p95 ${duration(t.p95_ms)}` : t.cost_usd ? cost(t.cost_usd) : 'no cost'
    out.steps[s.id] = {
      text,
      heat: measure(t) / top,
      title: `${plural(t.visits, 'visit')}, ${count(t.failed)} failed, median ${duration(t.p50_ms)}, p95 ${duration(t.p95_ms)}${t.cost_usd ? `, ${cost(t.cost_usd)}` : ''}`,
    }
  }
  const most = Math.max(...Object.values(data.paths).map((p) => p.taken), 1)
  for (const p of model.paths) {
    const t = data.paths[p.id]
    if (!t) continue
    const all = t.taken + t.refused
    out.paths[p.id] = { text: `${count(t.taken)}${t.refused ? ` of ${count(all)}` : ''}`, weight: 1 + 7 * (t.taken / most), title: `Taken ${count(t.taken)} of ${count(all)} times` }
  }
  return out
}
