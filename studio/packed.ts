import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const least = 1024

/**
 * packed writes each larger asset compressed, as NAME.gz: the files are embedded into the program,
 * which sends them as they are. An asset whose content is the same keeps its bytes, since other
 * versions of zlib compress to other ones.
 */
export function packed(folder: string): Plugin {
  const before = new Map<string, { body: Buffer; gz: Buffer }>()
  return {
    name: 'packed',
    apply: 'build',
    enforce: 'post',
    buildStart() {
      // Read now: the folder is empty when the assets are written.
      const assets = join(folder, 'assets')
      for (const name of existsSync(assets) ? readdirSync(assets) : []) {
        if (!name.endsWith('.gz')) continue
        const gz = readFileSync(join(assets, name))
        before.set(`assets/${name}`, { body: gunzipSync(gz), gz })
      }
    },
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const [name, file] of Object.entries(bundle)) {
          const body = Buffer.from(file.type === 'chunk' ? file.code : file.source)
          if (!name.startsWith('assets/') || body.length < least) continue
          const old = before.get(name + '.gz')
          delete bundle[name]
          this.emitFile({ type: 'asset', fileName: name + '.gz', source: old?.body.equals(body) ? old.gz : gzipSync(body, { level: 9 }) })
        }
      },
    },
  }
}
