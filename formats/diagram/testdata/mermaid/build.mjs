// Makes flowchart.js.gz of the package mermaid: `npm ci && npm run build`. Only what reads a
// flowchart is taken; what draws, and every other kind of diagram, is left out.
import { build } from 'esbuild';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

const folder = process.cwd() + '/node_modules/mermaid/dist/';
const chunks = folder + 'chunks/mermaid.core/';
const drawing = /^(d3|katex|cytoscape.*|marked|dagre.*|roughjs|stylis|@mermaid-js\/.*|@braintree.*|uuid|@iconify.*|lodash.*|@upsetjs.*)$/;

let flow = '';
for (const name of await readdir(chunks)) {
  if (name.endsWith('.mjs') && (await readFile(chunks + name, 'utf8')).includes('// src/diagrams/flowchart/flowDb.ts')) flow = chunks + name;
}

const onlyTheReader = {
  name: 'only-the-reader',
  setup(b) {
    const exporting = (names) => async (a) => ({ contents: (await readFile(a.path, 'utf8')) + `\nexport { ${names} };` });
    b.onResolve({ filter: /.*/ }, (a) => (a.kind === 'dynamic-import' || drawing.test(a.path) ? { path: 'nothing', namespace: 'stub' } : undefined));
    b.onLoad({ filter: /.*/, namespace: 'stub' }, () => ({ contents: 'module.exports = {}', loader: 'js' }));
    b.onResolve({ filter: /^flow-chunk$/ }, () => ({ path: flow, sideEffects: false }));
    b.onResolve({ filter: /^mermaid-core$/ }, () => ({ path: folder + 'mermaid.core.mjs', sideEffects: false }));
    b.onResolve({ filter: /^\.\/chunk/ }, (a) => ({ path: new URL(a.path, 'file://' + a.importer).pathname, sideEffects: false }));
    b.onResolve({ filter: /^dompurify$/ }, () => ({ path: process.cwd() + '/purify.mjs' }));
    b.onLoad({ filter: new RegExp(flow.split('/').pop().replace('.', '\\.') + '$') }, exporting('flowParser_default as parser, FlowDB'));
    b.onLoad({ filter: /mermaid\.core\.mjs$/ }, exporting('preprocessDiagram, encodeEntities'));
  },
};

const out = await build({
  entryPoints: ['flowchart.mjs'], bundle: true, minify: true, format: 'iife', globalName: 'mermaid', write: false,
  charset: 'ascii', logLevel: 'warning', plugins: [onlyTheReader],
});
await writeFile('flowchart.js.gz', gzipSync(out.outputFiles[0].contents, { level: 9 }));
