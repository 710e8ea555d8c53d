import { create } from 'zustand'
import type { SessionFilter } from '../graph/cypher'

/** A view is a filter with a name, kept in this browser. */
export interface View {
  name: string
  filter: SessionFilter
}

const KEY = 'stepgraph.views'

const store = create<{ list: View[] }>(() => {
  try {
    return { list: JSON.parse(localStorage.getItem(KEY) ?? '[]') as View[] }
  } catch {
    return { list: [] }
  }
})

function put(list: View[]) {
  try {
    localStorage.setItem(KEY, JSON.stringify(list))
  } catch {
    /* storage is blocked; the view lives as long as the page */
  }
  store.setState({ list })
}

export const useViews = () => store((s) => s.list)
export const addView = (v: View) => put([...store.getState().list.filter((o) => o.name !== v.name), v])
export const removeView = (name: string) => put(store.getState().list.filter((o) => o.name !== name))
