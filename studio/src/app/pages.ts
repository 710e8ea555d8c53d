/** The pages are files of their own, so that the first one opens soon. */
export const PAGES = {
  workflows: () => import('../pages/Workflows'),
  workflow: () => import('../pages/Workflow'),
  inbox: () => import('../pages/Inbox'),
  sessions: () => import('../pages/Sessions'),
  session: () => import('../pages/Session'),
  batches: () => import('../pages/Batches'),
  batch: () => import('../pages/Batch'),
}

/** preload fetches all pages when there is nothing else to do: they then open at once, and without the server too. */
export function preload() {
  const all = () => void Promise.allSettled(Object.values(PAGES).map((page) => page()))
  addEventListener('load', () => ('requestIdleCallback' in window ? requestIdleCallback(all, { timeout: 5000 }) : setTimeout(all, 2000)))
}
