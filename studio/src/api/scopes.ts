import { useQuery } from '@tanstack/react-query'
import { serverQuery } from './queries'

/** What a token may allow; the server's list is in docs/access.md. */
export type Scope = 'read' | 'answer' | 'operate' | 'edit' | 'run-code' | 'admin'

/** useRefused says why the token does not allow something; "" when it does, or when that is not known yet. */
export function useRefused(needs: Scope | undefined): string {
  const { data } = useQuery({ ...serverQuery, enabled: needs !== undefined })
  if (!needs || !data || data.scopes.includes(needs)) return ''
  if (data.token === 'anonymous') return `You are not signed in, and this needs the scope "${needs}". Open the link that \`stepgraph dev\` prints, or sign in with a token.`
  return `Your token ${data.token ? `"${data.token}" ` : ''}does not allow this: it lacks the scope "${needs}".`
}
