import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { serverQuery } from '../api/queries'
import { type Statement, browserLink } from '../graph/cypher'
import { Copy, Dialog } from './parts'

/** CypherDialog shows statements for what is on the page; on Neo4j they open in its Browser. */
export function CypherDialog({ title, statements, onClose }: { title: string; statements: Statement[]; onClose: () => void }) {
  const { data: server } = useQuery(serverQuery)
  const graph = server?.store === 'neo4j'
  return (
    <Dialog title={title} onClose={onClose} wide>
      {server && !graph && <p className="note">This server keeps its graph in {server.store === 'sqlite' ? 'an SQLite file' : 'memory'}. The statements work where the store is Neo4j.</p>}
      {statements.map((s) => (
        <section key={s.title} className="statement">
          <h3>{s.title}</h3>
          <pre tabIndex={0} aria-label={s.title}>
            {s.cypher}
          </pre>
          <div className="row">
            <Copy text={s.cypher} />
            {graph && server.browser && (
              <a className="button quiet small" href={browserLink(server.browser, s.cypher)} target="_blank" rel="noreferrer">
                <ExternalLink size={14} aria-hidden /> Open in Neo4j Browser
              </a>
            )}
          </div>
        </section>
      ))}
    </Dialog>
  )
}
