import { create } from 'zustand'

interface Toast {
  id: number
  text: string
  bad?: boolean
}

interface Toasts {
  list: Toast[]
  say: (text: string, bad?: boolean) => void
}

let next = 1

export const useToasts = create<Toasts>((set) => ({
  list: [],
  say: (text, bad) => {
    const id = next++
    set((s) => ({ list: [...s.list.slice(-3), { id, text, bad }] }))
    setTimeout(() => set((s) => ({ list: s.list.filter((t) => t.id !== id) })), bad ? 10_000 : 5000)
  },
}))

export const say = (text: string, bad?: boolean) => useToasts.getState().say(text, bad)

export function ToastList() {
  const list = useToasts((s) => s.list)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {list.map((t) => (
        <div key={t.id} className={t.bad ? 'toast bad' : 'toast'}>
          {t.text}
        </div>
      ))}
    </div>
  )
}
