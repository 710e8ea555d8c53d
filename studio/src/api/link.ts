import { create } from 'zustand'

/** Whether the server answers; the shell shows it. */
interface Link {
  offline: boolean
  since: number
  lost: () => void
  reached: () => void
}

export const useLink = create<Link>((set, get) => ({
  offline: false,
  since: 0,
  lost: () => {
    if (!get().offline) set({ offline: true, since: Date.now() })
  },
  reached: () => {
    if (get().offline) set({ offline: false })
  },
}))
