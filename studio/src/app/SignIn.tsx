import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAuth } from '../api/auth'
import { base } from '../api/client'
import { Button } from '../ui/parts'
import { keepReturn, usePeople } from './people'

/** SignIn is shown wherever the server has refused the token; the page's address stays. */
export function SignIn() {
  const [token, setToken] = useState('')
  const [keep, setKeep] = useState(false)
  const [wrong, setWrong] = useState('')
  const [busy, setBusy] = useState(false)
  const signIn = useAuth((s) => s.signIn)
  const client = useQueryClient()
  const people = usePeople()
  const submit = async (e: React.FormEvent) => {
    e.preventDefault()
    setBusy(true)
    setWrong('')
    try {
      const got = await fetch(`${base}/api/v1/sessions?limit=1`, { headers: { Authorization: `Bearer ${token.trim()}` } })
      if (got.status === 401) setWrong('The server does not know this token.')
      else {
        signIn(token.trim(), keep)
        void client.resetQueries()
      }
    } catch {
      setWrong('The server cannot be reached.')
    }
    setBusy(false)
  }
  return (
    <main className="sign-in">
      <form onSubmit={(e) => void submit(e)}>
        <h1>Sign in to stepgraph</h1>
        <p>This server requires a token: the one it was started with, or one that was created for you.</p>
        <label htmlFor="token">Token</label>
        <input id="token" type="password" autoComplete="current-password" autoFocus required value={token} onChange={(e) => setToken(e.target.value)} aria-describedby={wrong ? 'token-wrong' : undefined} aria-invalid={wrong !== ''} />
        {wrong && (
          <p id="token-wrong" className="wrong" role="alert">
            {wrong}
          </p>
        )}
        <label className="check">
          <input type="checkbox" checked={keep} onChange={(e) => setKeep(e.target.checked)} /> Stay signed in on this device
        </label>
        <Button primary type="submit" disabled={busy || token.trim() === ''}>
          {busy ? 'Signing in…' : 'Sign in'}
        </Button>
        {people?.oidc && (
          <p>
            <a href={`${base}/sign-in/oidc`} onClick={keepReturn}>Sign in with your organisation’s account</a>
          </p>
        )}
      </form>
    </main>
  )
}
