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
