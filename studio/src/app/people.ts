import { useQuery } from '@tanstack/react-query'
import { base } from '../api/client'

/** People says whether people sign in with a provider, and whether this browser has. */
interface People {
  oidc: boolean
  signed_in: boolean
}

export function usePeople(): People | undefined {
  return useQuery({
    queryKey: ['sign-in'],
    queryFn: async ({ signal }): Promise<People> => (await fetch(`${base}/sign-in`, { signal })).json(),
    staleTime: Infinity,
    retry: false,
  }).data
}

/** leave ends the session of the browser and shows the page to sign in. */
export async function leave(): Promise<void> {
  await fetch(`${base}/sign-out`, { method: 'POST' })
  location.reload()
}

const RETURN = 'stepgraph.return'

/** keepReturn remembers the page on which the sign-in with a provider begins, which leads back to the start page. */
export function keepReturn() {
  try {
    sessionStorage.setItem(RETURN, location.href.slice(base.length))
  } catch {
    /* storage is blocked; the sign-in ends at the start page */
  }
}

/** returnToPage goes from the start page to the one that was remembered, once. It runs before the router reads the address. */
export function returnToPage() {
  try {
    const page = sessionStorage.getItem(RETURN)
    if (!page || location.pathname !== new URL(base + '/').pathname) return
    sessionStorage.removeItem(RETURN)
    history.replaceState(null, '', base + page)
  } catch {
    /* storage is blocked */
  }
}
