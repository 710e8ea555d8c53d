import { create } from 'zustand'

export type Theme = 'system' | 'light' | 'dark'

interface Looks {
  theme: Theme
  more: boolean
  dark: boolean
  set: (theme: Theme, more: boolean) => void
}

const KEY = 'stepgraph.looks'
const darkQuery = matchMedia('(prefers-color-scheme: dark)')
const contrastQuery = matchMedia('(prefers-contrast: more)')

function stored(): { theme: Theme; more?: boolean } {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '') as { theme: Theme; more?: boolean }
  } catch {
    return { theme: 'system' }
  }
}

function apply(theme: Theme, more: boolean): boolean {
  const dark = theme === 'dark' || (theme === 'system' && darkQuery.matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  document.documentElement.dataset.contrast = more ? 'more' : ''
  return dark
}

const first = stored()
const firstMore = first.more ?? contrastQuery.matches

export const useTheme = create<Looks>((set) => ({
  theme: first.theme,
  more: firstMore,
  dark: apply(first.theme, firstMore),
  set: (theme, more) => {
    try {
      localStorage.setItem(KEY, JSON.stringify({ theme, more }))
    } catch {
      /* storage is blocked; the choice lives as long as the page */
    }
    set({ theme, more, dark: apply(theme, more) })
  },
}))

darkQuery.addEventListener('change', () => {
  const { theme, more } = useTheme.getState()
  useTheme.setState({ dark: apply(theme, more) })
})
