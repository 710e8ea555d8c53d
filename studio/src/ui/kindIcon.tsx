import {
  Bot, Boxes, Braces, Calculator, Clock, Code, Database, GitBranch, Globe, Layers, type LucideIcon, MessageCircleQuestion, MessageSquare, Network, Plug, Repeat, Sparkles, Split,
  Square, Tag, Terminal, Variable, Workflow,
} from 'lucide-react'

const ICONS: Record<string, LucideIcon> = {
  request: MessageCircleQuestion, confirm: MessageCircleQuestion, select: MessageCircleQuestion, reply: MessageSquare,
  generate: Sparkles, agent: Bot, api: Globe, graphql: Network, 'mcp.call': Plug, integration: Plug, code: Code, shell: Terminal,
  condition: GitBranch, switch: Split, classify: Tag, variable: Variable, accumulate: Layers, template: Braces, calculate: Calculator,
  loop: Repeat, iterate: Repeat, map: Boxes, group: Boxes, subflow: Workflow, wait: Clock, 'graph.query': Database,
}

export function KindIcon({ kind, size = 16 }: { kind: string; size?: number }) {
  const Icon = ICONS[kind] ?? (kind ? Code : Square)
  return <Icon size={size} aria-hidden />
}
