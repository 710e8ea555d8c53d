import { type LayoutEdge, type LayoutNode, layout } from './layout'

onmessage = (e: MessageEvent<{ nodes: LayoutNode[]; edges: LayoutEdge[] }>) => {
  postMessage(layout(e.data.nodes, e.data.edges))
}
