import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// The built files are committed. Names carry no hash, so that a change of one module changes
// one file; the server answers with an ETag and browsers ask again each time.
export default defineConfig({
  base: './',
  plugins: [react()],
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
