import { create } from 'zustand'

const KEY = 'stepgraph.token'

/** The token that requests carry, and whether the server has refused it. */
interface Auth {
  token: string
  refused: boolean
  signIn: (token: string, keep: boolean) => void
  signOut: () => void
  refuse: () => void
}

function stored(): string {
  try {
    return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? ''
  } catch {
    return '' // storage is blocked; the token lives as long as the page
  }
}

function store(token: string, keep: boolean) {
  try {
    localStorage.removeItem(KEY)
    sessionStorage.removeItem(KEY)
    if (token) (keep ? localStorage : sessionStorage).setItem(KEY, token)
  } catch {
    /* see stored */
  }
}

/** A link that ends in #token=… signs in; the token leaves the address bar at once. */
function fromAddress(): string {
  const found = /[#&]token=([^&]+)/.exec(location.hash)
  if (!found) return ''
  history.replaceState(null, '', location.pathname + location.search)
  const token = decodeURIComponent(found[1])
  store(token, false)
  return token
}

export const useAuth = create<Auth>((set) => ({
  token: fromAddress() || stored(),
  refused: false,
  signIn: (token, keep) => {
    store(token, keep)
    set({ token, refused: false })
  },
  signOut: () => {
    store('', false)
    set({ token: '', refused: true })
  },
  refuse: () => set({ refused: true }),
}))
