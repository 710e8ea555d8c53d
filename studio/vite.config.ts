import react from '@vitejs/plugin-react'
import { join } from 'node:path'
import { defineConfig } from 'vite'
import { packed } from './packed'

// The built files are committed. Names carry no hash, so that a change of one module changes
// one file; the server answers with an ETag and browsers ask again each time.
export default defineConfig({
  base: './',
  plugins: [react(), packed(join(import.meta.dirname, 'dist'))],
  worker: { format: 'es', rolldownOptions: { output: { entryFileNames: 'assets/[name].js' } } },
  server: { proxy: { '/api': 'http://127.0.0.1:7766' } },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        entryFileNames: 'assets/[name].js',
        chunkFileNames: 'assets/[name].js',
        assetFileNames: 'assets/[name][extname]',
      },
    },
  },
})
