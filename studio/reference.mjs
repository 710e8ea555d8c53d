// Copies Swagger UI to where Go embeds it, compressed. A file whose content is the same stays as it
// is: other versions of zlib compress to other bytes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const to = join(import.meta.dirname, '../api/internal/reference/files')

for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css']) {
  const body = Buffer.from(readFileSync(join(from, name), 'utf8').replace(/\n?(\/\/|\/\*)# sourceMappingURL=[^\n]*/g, ''))
  const file = join(to, name + '.gz')
  if (!existsSync(file) || !gunzipSync(readFileSync(file)).equals(body)) writeFileSync(file, gzipSync(body, { level: 9 }))
}
const version = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')).version
const notices = ['NOTICE', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE'].map((name) => readFileSync(join(from, name), 'utf8').trim())
const license = [`swagger-ui-dist ${version}, which the page at /docs uses`, ...notices].join('\n\n') + '\n'
const file = join(to, 'swagger-ui-license.txt')
if (!existsSync(file) || readFileSync(file, 'utf8') !== license) writeFileSync(file, license)
